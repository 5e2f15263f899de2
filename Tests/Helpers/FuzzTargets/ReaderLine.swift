import LibNFCReader
import SimulatedReader
import Tags

extension FuzzTarget {
    /// Bytes that the fuzzer chooses arrive at the real libnfc: every call ends, no answer is made
    /// up, and the next tap over an honest line works.
    ///
    /// libnfc opens one reader in a process, so nothing else may use it in the meantime. The reader
    /// stays open from input to input, because opening it takes most of the time.
    public static let readerLine = FuzzTarget(waiting: "reader-line") { input in
        try await LineBench.shared.check(input)
    }

    /// Closes the process's one reader.
    public static func closeReaderLine() async { await LineBench.shared.close() }
}

@LibNFCLane
private final class LineBench {
    static let shared = LineBench()

    private static let uid: [UInt8] = [0x04, 0xAC, 0x6B, 0x72, 0xBA, 0x6C, 0x80]
    private static let page: UInt8 = 0x20
    private static let mostCalls = 24

    private var opened: (line: HostileLine, reader: LibNFCReader)?

    /// A tag whose pages all differ, so that no answer can pass for another.
    private static func marked() throws -> TagMemory {
        var tag = try unwrap(TagMemory.blank(.ntag213, uid: uid), "no tag")
        for page in tag.chip.userPages { tag[page] = Page(page, 1, 2, 3) }
        return tag
    }

    func check(_ input: [UInt8]) async throws {
        let (line, reader) = try await bench()
        line.begin(Choices(input))
        for _ in 0..<LineBench.mostCalls where !line.isAtEnd { try await call(reader, line) }
        line.becomeHonest()
        try await tap(reader)
    }

    func close() async {
        await opened?.reader.close()
        opened = nil
    }

    private func bench() async throws -> (HostileLine, LibNFCReader) {
        if let opened { return opened }
        let tag = try LineBench.marked()
        let line = try HostileLine(Simulation([tag], onReader: [tag.uid]))
        let opened = (line: line, reader: try await LibNFCReader.open(line.connection))
        self.opened = opened
        return opened
    }

    private func call(_ reader: LibNFCReader, _ line: HostileLine) async throws {
        let frames: [[UInt8]] = [
            [0x30, 0x04], [0x3A, 0x04, 0x27], [0xA2, 0x10, 0x10, 1, 2, 3], [0x60], [0x30, 0xFF],
            [0x1B, 1, 2, 3, 4], [0x3C, 0x00],
        ]
        let choice = Int(line.byte() % 10)
        do {
            switch choice {
            case 7: await reader.release()
            case 8, 9:
                let tag = try await reader.select(within: .zero)
                try require([4, 7, 10].contains(tag.uid.count), "a UID of \(tag.uid.count) bytes")
            default:
                let answer = try await reader.exchange(frames[choice])
                let onAir = answer.isEmpty ? [0x0A] : RadioCRC.appended(to: answer)
                try require(line.said(onAir), "\(answer) was never on the line")
            }
        } catch let error as ReaderError {
            try require(
                ![.cancelled, .busy, .unsupported].contains(error.kind), "nobody asked for \(error)"
            )
        }
    }

    /// Makes the customer's next request.
    private func tap(_ reader: LibNFCReader) async throws {
        let tag = try await reader.select(within: .zero)
        try require(tag.uid == LineBench.uid, "another number than the tag's: \(tag)")
        let answer = try await reader.exchange([0x30, LineBench.page])
        let expected: [UInt8] = (0..<4).flatMap { [LineBench.page + $0, 1, 2, 3] }
        try require(answer == expected, "other pages than the tag's: \(answer)")
    }
}
