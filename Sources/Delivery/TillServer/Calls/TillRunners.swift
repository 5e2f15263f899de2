/// The tills of one server, one for each reader.
struct TillRunners: Sendable {
    let first: TillRunner
    let others: [TillRunner]

    var all: [TillRunner] { [first] + others }
}
