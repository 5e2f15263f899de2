import Glibc
import SimulatedField
import SimulatedReader
import TagReading
import Testing
import Type2Tag

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

    @Test("a missing one begins fresh, and only its owner may read it")
    func missing() throws {
        let place = TemporaryPath()
        #expect(status(place.path) == nil)
        #expect(try place.file.change { $0 } == .fresh)
        #expect(status(place.path).map { $0.st_mode & 0o777 } == 0o600)
    }

    @Test("keeps every change")
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

    @Test("is left alone by a look, and by a change that fails")
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
        "is not guessed at when it is broken", arguments: ["", "hello", "tapcard simulation 1\n"])
    func broken(text: String) throws {
        let place = TemporaryPath()
        try write(text, to: place.path)
        let error = #expect(throws: ReaderError(.noReader)) { try place.file.change { $0 } }
        #expect(error?.detail.contains(place.path) == true)
    }

    @Test("is not a reader where it cannot be")
    func noPlace() {
        let file = SimulationFile(path: "/tmp/tapcard-no-such-folder/simulation")
        #expect(throws: ReaderError(.noReader)) { try file.change { $0 } }
        #expect(throws: ReaderError(.noReader)) { try SimulatedReader(file) }
        let folder = SimulationFile(path: "/tmp/")
        #expect(throws: ReaderError(.noReader)) { try folder.change { $0 } }
        for end in [".lock", ".reader"] { _ = unsafe unlink("/tmp/" + end) }
    }

    @Test("loses no change when two commands make theirs at once")
    func atOnce() async throws {
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
