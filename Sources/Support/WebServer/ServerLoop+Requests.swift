import CMicroHTTPD
import Glibc

/// The libmicrohttpd callbacks for connections and requests, all on the server's thread. They are
/// typed constants, because the compiler could treat a closure as isolated to the main actor.
extension ServerLoop {
    /// The number of body bytes that are read beyond the limit, so that the client sees the
    /// refusal.
    private static let discardedBytes = 16 << 20

    static let targetSeen: tapcard_microhttpd_target_callback = { context, target, handle in
        guard let loop = unsafe loop(context), let handle = unsafe handle,
            let target = unsafe target
        else { return nil }
        let pointer = unsafe loop.library.withFunctions {
            unsafe tapcard_microhttpd_context($0, handle)
        }
        guard let connection = unsafe connection(pointer) else { return nil }
        let bytes = unsafe UnsafeBufferPointer(start: target, count: strlen(target))
        connection.phase = .begun(
            target: unsafe bytes.map { UInt8(bitPattern: $0) }, address: UInt(bitPattern: target))
        // The query is hidden, because libmicrohttpd keeps a record for each of its parts and could
        // run out of memory.
        unsafe tapcard_microhttpd_hide_query(target)
        loop.hasProgressed = true
        return unsafe pointer
    }

    static let requestSeen: MHD_AccessHandlerCallback = {
        context, _, _, method, version, bytes, count, request in
        guard let loop = unsafe loop(context), let connection = unsafe connection(request?.pointee),
            let method = unsafe method, let version = unsafe version, let count = unsafe count
        else { return .NO }
        if case .begun(let target, let address) = connection.phase {
            let head = unsafe HeadInMemory(
                method: method, target: target, at: address, version: version,
                bytes: connection.headBytes)
            return loop.headersSeen(connection, head)
        }
        loop.hasProgressed = true
        let part = unsafe UnsafeRawBufferPointer(start: bytes, count: count.pointee)
        // Tells libmicrohttpd that all bytes were accepted.
        unsafe count.pointee = 0
        return unsafe loop.proceed(connection, part)
    }

    static let requestCompleted: MHD_RequestCompletedCallback = { context, _, request, _ in
        guard let loop = unsafe loop(context), let connection = unsafe connection(request?.pointee)
        else { return }
        loop.completed(connection)
    }

    static let connectionChanged: MHD_NotifyConnectionCallback = { context, handle, kept, change in
        guard let loop = unsafe loop(context), let kept = unsafe kept else { return }
        if change == .CONNECTION_NOTIFY_STARTED, let handle = unsafe handle {
            let connection = unsafe loop.opened(handle)
            unsafe kept.pointee = Unmanaged.passUnretained(connection).toOpaque()
        } else if let connection = unsafe connection(kept.pointee) {
            loop.closed(connection)
        }
    }

    private static func loop(_ pointer: UnsafeMutableRawPointer?) -> ServerLoop? {
        guard let pointer = unsafe pointer else { return nil }
        return unsafe Unmanaged<ServerLoop>.fromOpaque(pointer).takeUnretainedValue()
    }

    private static func connection(_ pointer: UnsafeMutableRawPointer?) -> ServerConnection? {
        guard let pointer = unsafe pointer else { return nil }
        return unsafe Unmanaged<ServerConnection>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Handles the first call for a request. It responds only to refuse the request.
    private func headersSeen(
        _ connection: ServerConnection, _ head: HeadInMemory
    ) -> MHD_Result {
        do throws(RequestHead.Refusal) {
            if isStopping { throw .stopping }
            guard connection.headBytes <= settings.headerBytes else {
                throw .headersTooLong(settings.headerBytes)
            }
            var reading = HeadReading(head)
            connection.readHeaders(into: &reading)
            guard reading.linesAreUnchanged else { throw .ambiguous }
            guard !head.needsHost || reading.headers["Host"] != nil else { throw .hostMissing }
            connection.phase = .receiving(
                try RequestHead(
                    method: head.method, target: head.target, headers: reading.headers,
                    bodyBytes: settings.bodyBytes))
            limitTransfer(connection)
            return .YES
        } catch {
            connection.phase = .refused
            limitTransfer(connection)
            return connection.queue(settings.refusal(error.status, error.text), closing: true)
                == nil
                ? .NO : .YES
        }
    }

    /// Handles any other call: part of the body, its end, or libmicrohttpd's request for the
    /// response.
    private func proceed(
        _ connection: ServerConnection, _ part: UnsafeRawBufferPointer
    ) -> MHD_Result {
        switch connection.phase {
        case .receiving(let head):
            if unsafe part.isEmpty {
                guard let refusal = connection.refusal else { return callHandler(connection, head) }
                return respond(connection, settings.refusal(refusal.status, refusal.text))
            }
            unsafe take(part, connection)
            return connection.discardedBytes <= Self.discardedBytes ? .YES : .NO
        case .handled(let response): return respond(connection, response)
        case .handling:
            connection.suspend()
            return .YES
        case .idle, .begun, .answering, .streaming, .refused: return .YES
        }
    }

    /// Stores part of a body, or discards the whole body.
    private func take(_ part: UnsafeRawBufferPointer, _ connection: ServerConnection) {
        // A single body is always accepted, no matter how small the limit for all bodies together
        // is.
        let isOnlyBody = heldBodyBytes == connection.body.count
        if part.count > settings.bodyBytes - connection.body.count {
            connection.refusal = connection.refusal ?? .tooLong(settings.bodyBytes)
        } else if part.count > settings.allBodiesBytes - heldBodyBytes, !isOnlyBody {
            connection.refusal = connection.refusal ?? .tooManyBodies
        }
        guard connection.refusal == nil else {
            dropBody(of: connection)
            // The bytes are counted, because `proceed` ends the connection of a client that sends
            // too much.
            connection.discardedBytes += part.count
            return
        }
        heldBodyBytes += part.count
        unsafe connection.body.append(contentsOf: part)
    }

    private func callHandler(_ connection: ServerConnection, _ head: RequestHead) -> MHD_Result {
        connection.isHead = head.method == "HEAD"
        let request = WebRequest(
            method: connection.isHead ? "GET" : head.method, path: head.target.path,
            query: head.target.query, headers: head.headers, body: connection.body,
            from: connection.client)
        // The handler owns the bytes now.
        connection.body = []
        let bodyBytes = request.body.count
        // Nothing is transferred while the handler runs.
        connection.deadline = nil
        let work: @Sendable () async -> WebResponse
        switch reply(request) {
        case .now(let response):
            heldBodyBytes -= bodyBytes
            return respond(connection, response)
        case .later(let later): work = later
        }
        // The connection is suspended in libmicrohttpd's next call, which follows immediately. If
        // it were suspended in this call, libmicrohttpd would read from it first when it resumes,
        // and a client that has closed its sending side would lose its response.
        connection.phase = .handling(
            Task { [mailbox, number = connection.number] in
                let response = await work()
                let isAccepted = mailbox.post(
                    .answer(connection: number, response, bodyBytes: bodyBytes))
                if !isAccepted { response.abandon() }
            })
        return .YES
    }

    private func respond(_ connection: ServerConnection, _ response: WebResponse) -> MHD_Result {
        guard let phase = connection.queue(response, closing: isStopping) else { return .NO }
        connection.phase = phase
        connection.isOfKnownClient = response.isForKnownClient
        if case .streaming(let stream) = phase {
            if isStopping { stream.finish() }
        } else {
            limitTransfer(connection)
        }
        return .YES
    }

    private func completed(_ connection: ServerConnection) {
        if case .handling(let task) = connection.phase { task.cancel() }
        dropBody(of: connection)
        // libmicrohttpd closes the connection after a refusal, so there is no next request.
        if case .refused = connection.phase {
            limitTransfer(connection)
        } else {
            connection.reset()
            limitWait(connection)
        }
        if isStopping { connection.cut() }
    }
}
