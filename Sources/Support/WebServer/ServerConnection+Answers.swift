import CMicroHTTPD

extension ServerConnection {
    /// The block size for a response that is not a stream.
    private static let blockBytes = 64 << 10
    /// The block size for a stream. Except for HTTP/1.0 clients, a stream is written into the
    /// connection's own buffer.
    private static let streamBlockBytes = 1 << 10

    /// Passes the response to libmicrohttpd and returns the next phase. Returns `nil` if
    /// libmicrohttpd does not accept the response.
    func queue(_ response: WebResponse, closing: Bool) -> Phase? {
        if !closing, let reusable = response.reusable,
            let made = reusable.made({ makeReusable(response) })
        {
            return unsafe queue(response, made.handle)
        }
        let made = unsafe make(response, closing: closing)
        guard let made = unsafe made else {
            // The handler's response is invalid, so the client gets a fixed response instead.
            return queue(.text("The response could not be sent.\n", status: 500), closing: true)
        }
        // libmicrohttpd counts references, and queuing a response adds one.
        defer { unsafe library.functions.destroy_response(made) }
        return unsafe queue(response, made)
    }

    private func queue(_ response: WebResponse, _ made: OpaquePointer) -> Phase? {
        guard
            unsafe library.functions.queue_response(handle, UInt32(response.status), made)
                == .YES
        else { return nil }
        guard case .stream(let stream) = response.body else { return .answering }
        return .streaming(stream)
    }

    private func makeReusable(_ response: WebResponse) -> ReusableAnswer.Made? {
        let made = unsafe make(response, closing: false)
        guard let made = unsafe made else { return nil }
        return unsafe ReusableAnswer.Made(handle: made, library: library)
    }

    /// The response for libmicrohttpd. `nil` for an invalid status or header, or for a stream that
    /// already has a listener.
    private func make(_ response: WebResponse, closing: Bool) -> OpaquePointer? {
        guard let made = unsafe makeBody(response.body) else { return nil }
        let headers =
            response.headers + commonHeaders
            + (closing ? [WebField("Connection", "close")] : [])
        let isAccepted = headers.allSatisfy {
            unsafe library.functions.add_response_header(made, $0.name, $0.value) == .YES
        }
        // Without this, libmicrohttpd would send the last chunk in response to HEAD, even though it
        // leaves out the rest of the body.
        if isHead, response.body.hasUnknownLength {
            _ = unsafe library.withFunctions { unsafe tapcard_microhttpd_end_by_closing($0, made) }
        }
        guard isAccepted, (200...599).contains(response.status) else {
            unsafe library.functions.destroy_response(made)
            return nil
        }
        return unsafe made
    }

    private func makeBody(_ body: WebBody) -> OpaquePointer? {
        switch body {
        case .bytes(var bytes):
            let count = bytes.count
            return unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe library.functions.create_response_from_buffer(
                    count, buffer.baseAddress, .RESPMEM_MUST_COPY)
            }
        case .stream(let stream):
            let isFree = stream.attach { [mailbox, number] in
                mailbox.post(.streamHasChanged(connection: number))
            }
            guard isFree else { return nil }
            return unsafe source(
                .stream(stream), tapcard_microhttpd_unknown_size, Self.streamBlockBytes)
        case .cutOff(let bytes, let promised):
            return unsafe source(
                .cutOff(bytes), UInt64(max(promised, bytes.count)),
                // The block is one byte larger than the body, so that libmicrohttpd reads from the
                // source again, which then aborts.
                min(bytes.count + 1, Self.blockBytes))
        case .filler(let byte, let count, let announced):
            return unsafe source(
                .filler(byte, count: count),
                announced ? UInt64(max(count, 0)) : tapcard_microhttpd_unknown_size,
                Self.blockBytes)
        }
    }

    private func source(
        _ content: BodySource.Content, _ bytes: UInt64, _ blockBytes: Int
    ) -> OpaquePointer? {
        let source = unsafe Unmanaged.passRetained(BodySource(content, of: self))
        let made = unsafe library.functions.create_response_from_callback(
            bytes, blockBytes, BodySource.read, source.toOpaque(), BodySource.free)
        // If no response was created, libmicrohttpd never calls `BodySource.free`.
        if unsafe made == nil { unsafe source.release() }
        return unsafe made
    }
}
