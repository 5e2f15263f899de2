import CCurl

/// Where libcurl puts an answer while it arrives, and where it is stopped when there is more of
/// it than anyone needs.
final class AnswerSink {
    /// Bytes of a body. All of it is held in memory.
    static let longestBody = 1_048_576
    /// Bytes of all heads together: those of proxies and of what came before the answer, too.
    static let longestHead = 65_536

    private(set) var head = HTTPHead()
    private(set) var body: [UInt8] = []
    /// Whether the last head that began is whole.
    private(set) var isHeadComplete = false
    private(set) var excess: CurlFailure.Excess?
    private var headBytes = 0

    func takeHead(_ line: UnsafeRawBufferPointer) -> Int {
        headBytes += line.count
        guard headBytes <= AnswerSink.longestHead else {
            excess = .head
            return 0
        }
        let bytes = unsafe Array(line)
        // libcurl brings the lines behind a chunked body here as well. They come too late to
        // say anything of the answer, and are only counted.
        let mayBegin = !isHeadComplete || (body.isEmpty && HTTPHead.isStatusLine(bytes))
        guard mayBegin else { return line.count }
        head.take(bytes)
        isHeadComplete = bytes.allSatisfy { $0 == 0x0D || $0 == 0x0A }
        return line.count
    }

    func takeBody(_ piece: UnsafeRawBufferPointer) -> Int {
        guard piece.count <= AnswerSink.longestBody - body.count else {
            excess = .body
            return 0
        }
        unsafe body.append(contentsOf: piece)
        return piece.count
    }
}

/// What libcurl calls; each a constant with its type, so that no actor is read into it.
enum AnswerTakers {
    static let head: tapcard_libcurl_taker = { bytes, size, count, context in
        guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
        let sink = unsafe Unmanaged<AnswerSink>.fromOpaque(context).takeUnretainedValue()
        return unsafe sink.takeHead(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }

    static let body: tapcard_libcurl_taker = { bytes, size, count, context in
        guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
        let sink = unsafe Unmanaged<AnswerSink>.fromOpaque(context).takeUnretainedValue()
        return unsafe sink.takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }
}
