/// The desks of one server: one for each reader.
struct CounterDesks: Sendable {
    let first: CounterDesk
    let others: [CounterDesk]

    var all: [CounterDesk] { [first] + others }
}
