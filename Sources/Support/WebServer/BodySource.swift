import CMicroHTTPD

/// The source of a response body that is not held in memory as a whole. libmicrohttpd reads from it
/// on the server's thread, and frees it together with the response.
final class BodySource {
    enum Content {
        case stream(WebStream)
        case cutOff([UInt8])
        case filler(UInt8, count: Int)
    }

    private let content: Content
    private unowned let connection: ServerConnection

    init(_ content: Content, of connection: ServerConnection) {
        self.content = content
        self.connection = connection
    }

    deinit {
        if case .stream(let stream) = content { stream.detach() }
    }

    /// The callback for libmicrohttpd. A stream ignores the position, because it is read only once,
    /// in order.
    static let read: MHD_ContentReaderCallback = { pointer, position, bytes, capacity in
        guard let pointer = unsafe pointer, let bytes = unsafe bytes else {
            return tapcard_microhttpd_broken
        }
        let source = unsafe Unmanaged<BodySource>.fromOpaque(pointer).takeUnretainedValue()
        let buffer = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: capacity)
        return unsafe source.fill(buffer, from: Int(position))
    }

    static let free: MHD_ContentReaderFreeCallback = { pointer in
        guard let pointer = unsafe pointer else { return }
        // Balances `passRetained` in `ServerConnection.source`.
        unsafe Unmanaged<BodySource>.fromOpaque(pointer).release()
    }

    private func fill(_ buffer: UnsafeMutableRawBufferPointer, from position: Int) -> Int {
        switch content {
        case .stream(let stream):
            switch unsafe stream.read(into: buffer) {
            case .bytes(let count):
                connection.noteProgress()
                return count
            case .later:
                // If this only returned 0, libmicrohttpd would call again on every pass through the
                // loop.
                connection.suspend()
                return 0
            case .finished: return tapcard_microhttpd_end
            case .gone: return tapcard_microhttpd_broken
            }
        case .cutOff(let bytes):
            let part = bytes.dropFirst(position).prefix(buffer.count)
            // This is the simulated failure: the connection closes before the promised length is
            // reached.
            guard !part.isEmpty else { return tapcard_microhttpd_broken }
            unsafe buffer.copyBytes(from: part)
            return part.count
        case .filler(let byte, let count):
            let part = min(buffer.count, count - position)
            guard part > 0 else { return tapcard_microhttpd_end }
            connection.noteProgress()
            unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<part])
                .initializeMemory(as: UInt8.self, repeating: byte)
            return part
        }
    }
}
