import CCurl

/// Receives a response from libcurl. Stops the transfer if the response exceeds a limit.
package final class AnswerSink {
    /// The maximum size of a service's response, in bytes.
    package static let maximumBodySize = 1_048_576
    /// The maximum total size of all headers, in bytes, including those of interim responses and
    /// those from proxies.
    static let maximumHeadSize = 65_536

    private(set) var head = HTTPHead()
    private(set) var body: [UInt8] = []
    /// Whether the most recent header block is complete.
    private(set) var isHeadComplete = false
    private(set) var excess: CurlFailure.Excess?
    private var headBytes = 0
    /// Receives the body of a stream of server-sent events; nil if no stream is expected.
    private let takeStream: (([UInt8]) -> Void)?

    private let ignoresBody: Bool

    private let bodyLimit: Int

    init(
        streaming takeStream: (([UInt8]) -> Void)? = nil, ignoringBody: Bool = false,
        bodyLimit: Int = maximumBodySize
    ) {
        (self.takeStream, ignoresBody, self.bodyLimit) = (takeStream, ignoringBody, bodyLimit)
    }

    var isStreaming: Bool { takeStream != nil }

    func takeHead(_ line: UnsafeRawBufferPointer) -> Int {
        headBytes += line.count
        guard headBytes <= AnswerSink.maximumHeadSize else {
            // A return value other than the length of the line makes libcurl stop the transfer.
            excess = .head
            return 0
        }
        let bytes = unsafe Array(line)
        // libcurl also calls this function for the trailer lines after a chunked body. They are not
        // headers, so they are counted but not stored.
        let mayBegin = !isHeadComplete || (body.isEmpty && HTTPHead.isStatusLine(bytes))
        guard mayBegin else { return line.count }
        head.take(bytes)
        isHeadComplete = bytes.allSatisfy { $0 == 0x0D || $0 == 0x0A }
        return line.count
    }

    func takeBody(_ chunk: UnsafeRawBufferPointer) -> Int {
        // Any other response, such as a refusal, is short.
        if let takeStream, head["content-type"]?.hasPrefix("text/event-stream") == true {
            takeStream(unsafe Array(chunk))
            return chunk.count
        }
        if ignoresBody { return 0 }
        guard chunk.count <= bodyLimit - body.count else {
            excess = .body
            return 0
        }
        unsafe body.append(contentsOf: chunk)
        return chunk.count
    }
}

/// The callbacks for libcurl. They are constants with a C function type, so that they are not
/// isolated to any actor.
enum AnswerCallbacks {
    static let head: tapcard_libcurl_callback = { bytes, size, count, context in
        guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
        let sink = unsafe Unmanaged<AnswerSink>.fromOpaque(context).takeUnretainedValue()
        return unsafe sink.takeHead(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }

    static let body: tapcard_libcurl_callback = { bytes, size, count, context in
        guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
        let sink = unsafe Unmanaged<AnswerSink>.fromOpaque(context).takeUnretainedValue()
        return unsafe sink.takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }
}
