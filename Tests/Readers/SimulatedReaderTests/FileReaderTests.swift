import Glibc
import OperatingSystem
import SimulatedReader
import Tags
import Testing

@Suite("The simulated reader over a file")
struct FileReaderTests {
    static let patience = Duration.seconds(60)

    @Test("A new file begins with a blank NTAG213 and keeps what is written")
    func fresh() async throws {
        let place = TemporaryPath()
        do {
            let reader = try SimulatedReader(place.file)
            #expect(reader.name == "simulated reader \(place.path)")
            #expect(try await reader.select(within: .zero).uid == FieldWorld.uid)
            #expect(try await reader.exchange([0x60]) == Type2Chip.ntag213.version)
            _ = try await reader.exchange([0xA2, 0x10, 1, 2, 3, 4])
        }
        let again = try SimulatedReader(place.file)
        _ = try await again.select(within: .zero)
        #expect(try await again.exchange([0x30, 0x10]).prefix(4) == [1, 2, 3, 4])
    }

    @Test("A second reader over the file is busy until the first is gone")
    func busy() async throws {
        let place = TemporaryPath()
        var first: SimulatedReader? = try SimulatedReader(place.file)
        _ = try await first?.select(within: .zero)
        let error = #expect(throws: ReaderError(.busy)) { try SimulatedReader(place.file) }
        #expect(error?.detail.contains("(process \(getpid()))") == true)
        first = nil
        #expect(throws: Never.self) { try SimulatedReader(place.file) }
    }

    @Test("A tag that is taken and put back by another command is noticed")
    func takenAndPut() async throws {
        let place = TemporaryPath()
        let reader = try SimulatedReader(place.file)
        _ = try await reader.select(within: .zero)
        try place.file.change { $0.take() }
        await #expect(throws: ReaderError(.tagLost)) { try await reader.exchange([0x60]) }
        await #expect(throws: ReaderError(.noTag)) { try await reader.select(within: .zero) }
        try place.file.change { $0.put([FieldWorld.uid]) }
        #expect(try await reader.select(within: .zero).uid == FieldWorld.uid)
    }

    @Test("Several tags on the reader are an error")
    func several() async throws {
        let place = TemporaryPath()
        let reader = try SimulatedReader(place.file)
        try place.file.change { simulation in
            _ = simulation.addTag(.ntag215) { [UInt8](repeating: 7, count: $0) }
            simulation.put(simulation.tags.map(\.uid))
        }
        await #expect(throws: ReaderError(.severalTags)) {
            try await reader.select(within: Self.patience)
        }
    }

    @Test("A tag that is put down later is waited for")
    func waits() async throws {
        let place = TemporaryPath()
        let reader = try SimulatedReader(place.file)
        try place.file.change { $0.take() }
        async let identity = reader.select(within: Self.patience)
        try place.file.change { $0.put([FieldWorld.uid]) }
        #expect(try await identity.uid == FieldWorld.uid)
    }

    @Test("A file that is overwritten, replaced or deleted is read again")
    func edited() async throws {
        let place = TemporaryPath()
        let reader = try SimulatedReader(place.file)
        #expect(try await reader.select(within: .zero).uid == FieldWorld.uid)
        let lying = try #require(try DurableFile(place.path).read())
        try place.file.change { $0.take() }
        let empty = try #require(try DurableFile(place.path).read())
        await #expect(throws: ReaderError(.noTag)) { try await reader.select(within: .zero) }
        try FileDescriptor.open(place.path, O_WRONLY | O_TRUNC).write(lying)
        #expect(try await reader.select(within: .zero).uid == FieldWorld.uid)
        try DurableFile(place.path + ".other").write(empty)
        let isThere = unsafe rename(place.path + ".other", place.path) == 0
        #expect(isThere)
        await #expect(throws: ReaderError(.noTag)) { try await reader.select(within: .zero) }
        unsafe unlink(place.path)
        // Without a file it is a new world.
        #expect(try await reader.select(within: .zero).uid == FieldWorld.uid)
    }

    @Test("A file that becomes unreadable is an error, not its last good content")
    func spoiled() async throws {
        let place = TemporaryPath()
        let reader = try SimulatedReader(place.file)
        #expect(try await reader.select(within: .zero).uid == FieldWorld.uid)
        try DurableFile(place.path).write(Array("nothing".utf8))
        for _ in 0..<2 {
            await #expect(throws: ReaderError.self) { try await reader.select(within: .zero) }
        }
    }

    @Test("A wait ends at its limit or when its task is canceled")
    func waitsInVain() async throws {
        let place = TemporaryPath()
        let reader = try SimulatedReader(place.file)
        try place.file.change { $0.take() }
        await #expect(throws: ReaderError(.noTag)) {
            try await reader.select(within: .milliseconds(1))
        }
        let task = Task { try await reader.select(within: Self.patience) }
        task.cancel()
        await #expect(throws: ReaderError(.cancelled)) { try await task.value }
    }

    @Test("A torn page is kept, and its fault does not occur again")
    func torn() async throws {
        let place = TemporaryPath()
        let reader = try SimulatedReader(place.file)
        try await reader.change { $0.fault = Fault(at: 1, counting: .write, .torn(.lowestOnes(1))) }
        _ = try await reader.select(within: .zero)
        await #expect(throws: ReaderError(.tagLost)) {
            try await reader.exchange([0xA2, 0x10, 1, 2, 3, 4])
        }
        let world = try place.file.change { $0 }
        #expect(world.tags.first?[0x10] == Page(0, 0, 0, 4))
        #expect(world.fault == nil && world.onReader.isEmpty)
    }
}
