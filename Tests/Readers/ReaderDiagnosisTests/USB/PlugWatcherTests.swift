import ReaderDiagnosis
import Testing

@Suite("Plug events found by polling")
struct PlugWatcherTests {
    @Test("Polling notices the readers that were there, arrive or leave", .timeLimit(.minutes(1)))
    func events() async throws {
        let machine = try FakeMachine(["acr122u"])
        let watcher = PlugWatcher(machine.discovery(), interval: .zero)
        var events: [String] = []
        for await event in watcher.events() {
            switch event {
            case .watching(let readers):
                events.append("watching \(readers.map(\.model.make))")
                try machine.plug("scl3711")
            case .arrived(let reader):
                events.append("arrived \(reader.model.make) \(reader.node.access)")
                try machine.unplug("acr122u")
            case .left(let reader):
                events.append("left \(reader.model.make) \(reader.place)")
            }
            if events.count == 3 { break }
        }
        #expect(
            events == [
                #"watching ["ACS ACR122U"]"#, "arrived SCM SCL3711 readAndWrite",
                "left ACS ACR122U 001:004",
            ])
    }

    @Test("A watch ends with the task that reads it", .timeLimit(.minutes(1)))
    func cancelled() async throws {
        let machine = try FakeMachine([])
        let task = Task {
            var count = 0
            for await _ in PlugWatcher(machine.discovery(), interval: .zero).events() {
                count += 1
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            }
            return count
        }
        #expect(await task.value == 1)
    }
}
