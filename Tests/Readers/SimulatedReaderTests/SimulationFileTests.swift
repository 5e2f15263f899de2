import Glibc
import SimulatedReader
import Tags
import Testing

@Suite("A simulation in a file")
struct SimulationFileTests {
    private func write(_ text: String, to path: String) throws {
        let file = unsafe try #require(fopen(path, "w"))
        unsafe fputs(text, file)
        unsafe fclose(file)
    }

    private func status(_ path: String) -> stat? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status : nil
    }

    @Test("A missing file begins fresh, and only its owner can read it")
    func missing() throws {
        let place = TemporaryPath()
        #expect(status(place.path) == nil)
        #expect(try place.file.change { $0 } == .fresh)
        #expect(status(place.path).map { $0.st_mode & 0o777 } == 0o600)
    }

    @Test("The new file of a second reader does not begin with the first reader's tag")
    func second() throws {
        let (first, second) = (TemporaryPath(), TemporaryPath())
        func begin(_ place: TemporaryPath, nextTo other: TemporaryPath) throws -> Simulation {
            try place.file.requireOwnTag(nextTo: [other.path]) {
                [UInt8](repeating: 7, count: $0)
            }
            return try place.file.change { $0 }
        }
        // The file of the second one is not there yet, and is not made by a look.
        #expect(try begin(first, nextTo: second) == .fresh)
        #expect(status(second.path) == nil)
        let world = try begin(second, nextTo: first)
        #expect(world.tags.map(\.uid) == [[4, 7, 7, 7, 7, 7, 7]])
        #expect(world.onReader == world.tags.map(\.uid))
        // The next time both have what they had.
        #expect(try begin(first, nextTo: second) == .fresh)
        #expect(try begin(second, nextTo: first) == world)
    }

    @Test("A file that was used before keeps its tags")
    func used() throws {
        let (first, second) = (TemporaryPath(), TemporaryPath())
        for place in [first, second] { try place.file.change { $0.take() } }
        let before = try second.file.read()
        try second.file.requireOwnTag(nextTo: [first.path]) { [UInt8](repeating: 7, count: $0) }
        #expect(try second.file.read() == before)
    }

    @Test("Every change is kept in the file")
    func changes() throws {
        let place = TemporaryPath()
        let uid = try place.file.change { simulation in
            simulation.addTag(.ntag215) { [UInt8](repeating: 7, count: $0) }?.uid
        }
        let number = try #require(uid)
        try place.file.change { $0.put([number]) }
        try place.file.change { $0.fault = Fault(at: 2, counting: .frame, .garbled) }
        let simulation = try SimulationFile(path: place.path).change { $0 }
        #expect(simulation.tags.map(\.chip) == [.ntag213, .ntag215])
        #expect(simulation.onReader == [number])
        #expect(simulation.fault == Fault(at: 2, counting: .frame, .garbled))
    }

    @Test("A read or a failed change leaves the file alone")
    func leftAlone() throws {
        let place = TemporaryPath()
        let failure = ReaderError(.readerLost, "on purpose")
        func fail() throws {
            try place.file.change { simulation throws(ReaderError) in
                simulation.take()
                throw failure
            }
        }
        #expect(throws: failure) { try fail() }
        #expect(status(place.path) == nil)
        try place.file.change { _ in }
        let before = try #require(status(place.path)).st_ino
        #expect(throws: failure) { try fail() }
        #expect(try place.file.change { $0 } == .fresh)
        #expect(status(place.path)?.st_ino == before)
    }

    @Test(
        "A broken file is an error that names the file",
        arguments: ["", "hello", "tapcard simulation 1\n"])
    func broken(text: String) throws {
        let place = TemporaryPath()
        try write(text, to: place.path)
        let error = #expect(throws: ReaderError(.noReader)) { try place.file.change { $0 } }
        #expect(error?.detail.contains(place.path) == true)
    }

    @Test("A path that cannot hold a file is not a reader")
    func noPlace() {
        let file = SimulationFile(path: "/tmp/tapcard-no-such-folder/simulation")
        #expect(throws: ReaderError(.noReader)) { try file.change { $0 } }
        #expect(throws: ReaderError(.noReader)) { try SimulatedReader(file) }
        let folder = SimulationFile(path: "/tmp/")
        #expect(throws: ReaderError(.noReader)) { try folder.change { $0 } }
        for end in [".lock", ".reader"] { _ = unsafe unlink("/tmp/" + end) }
    }

    @Test("Two tasks that change the file at once lose no change")
    func concurrently() async throws {
        let place = TemporaryPath()
        let file = place.file
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker: UInt8 in 1...2 {
                group.addTask {
                    for round: UInt8 in 1...15 {
                        try file.change { simulation in
                            _ = simulation.addTag(.ntag213) { count in
                                [UInt8](repeating: worker, count: count - 1) + [round]
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try file.change { $0.tags.count } == 31)
    }
}
