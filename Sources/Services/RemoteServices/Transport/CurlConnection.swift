import CCurl
import Glibc
import TapcardDomain
import TextCodecs

/// Runs one transfer at a time. libcurl keeps connections open between transfers.
///
/// An instance must not be used by more than one thread at a time. The single easy handle is in a
/// multi handle, because another thread can wake only a multi handle.
@safe final class CurlConnection {
    private let functions: tapcard_libcurl
    private let options: HTTPClient.Options
    private let easy: UnsafeMutableRawPointer
    private let multi: UnsafeMutableRawPointer
    /// The buffer for libcurl's description of a failed transfer.
    private let errorText: UnsafeMutablePointer<CChar>

    init(_ library: CurlLibrary, _ options: HTTPClient.Options) throws(ServiceError) {
        let failure = ServiceError(.noClient, "libcurl has no memory for a request")
        guard let easy = library.functions.easy_init() else { throw failure }
        guard let multi = library.functions.multi_init() else {
            unsafe library.functions.easy_cleanup(easy)
            throw failure
        }
        functions = library.functions
        self.options = options
        unsafe self.easy = easy
        unsafe self.multi = multi
        unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        unsafe functions.easy_cleanup(easy)
        unsafe _ = functions.multi_cleanup(multi)
        unsafe errorText.deallocate()
    }

    /// Sends a request. Blocks until the response arrives, time runs out, or the switch is turned
    /// off. For a stream, the time limit applies to each pause between two parts.
    func perform(
        _ request: HTTPRequest, by limits: HTTPLimits, within rest: Duration,
        streaming takeStream: (([UInt8]) -> Void)? = nil, _ abort: TransferSwitch
    ) throws(ServiceError) -> HTTPAnswer {
        let sink = AnswerSink(
            streaming: takeStream, ignoringBody: request.ignoresBody,
            bodyLimit: request.bodyLimit)
        let headers = unsafe try headerList(request)
        defer { unsafe functions.slist_free_all(headers) }
        // The options of one transfer must not carry over to the next one.
        defer { unsafe functions.easy_reset(easy) }
        // libcurl does not always write to the buffer, so text about an earlier failure is cleared.
        unsafe errorText.pointee = 0
        unsafe try prepare(
            request, HTTPLimits(connecting: limits.connecting, whole: rest), headers: headers, sink)
        let outcome = try withExtendedLifetime(sink) { () throws(ServiceError) in
            try transfer(abort)
        }
        // If the body is ignored, it does not matter why the transfer ended after the headers.
        let isEnough = outcome == CURLE_OK || request.ignoresBody && sink.isHeadComplete
        guard isEnough else { throw failure(outcome, sink, limits).error }
        // If the connection is closed within the header block, libcurl reports success and an
        // empty body.
        guard sink.isHeadComplete else { throw failure(CURLE_PARTIAL_FILE, sink, limits).error }
        let status = unsafe tapcard_libcurl_number(functions, easy, CURLINFO_RESPONSE_CODE)
        return HTTPAnswer(status: status, head: sink.head, body: sink.body)
    }

    /// Runs the transfer. Returns libcurl's result code.
    private func transfer(_ abort: TransferSwitch) throws(ServiceError) -> CURLcode {
        guard unsafe functions.multi_add_handle(multi, easy) == CURLM_OK else {
            throw ServiceError(.noClient, "libcurl rejected a request")
        }
        defer { unsafe _ = functions.multi_remove_handle(multi, easy) }
        abort.arm(unsafe TransferWaker(functions, multi))
        defer { abort.disarm() }
        // The loop always ends, because libcurl enforces a time limit on every transfer, or on each
        // pause in a stream.
        while true {
            // This check comes after `arm`, because a switch that was turned off before had no
            // waker.
            if abort.isOff { throw ServiceError(.cancelled, "the request was stopped") }
            var running: Int32 = 0
            guard unsafe functions.multi_perform(multi, &running) == CURLM_OK else {
                throw stalled("libcurl cannot continue a request")
            }
            let outcome = unsafe tapcard_libcurl_outcome(functions, multi)
            if outcome >= 0 { return CURLcode(rawValue: UInt32(outcome)) }
            // libcurl wakes up earlier if there is anything to do, so the one second is only a
            // backstop.
            guard unsafe functions.multi_poll(multi, nil, 0, 1_000, nil) == CURLM_OK else {
                throw stalled("libcurl cannot wait for a response")
            }
        }
    }

    /// The error for a transfer that cannot continue. If the request was sent, it may have taken
    /// effect, so the error must not say that no request was made.
    private func stalled(_ reason: String) -> ServiceError {
        ServiceError(isSent ? .cutOff : .noClient, reason)
    }

    /// Whether any part of the request was sent.
    private var isSent: Bool {
        unsafe tapcard_libcurl_size(functions, easy, CURLINFO_PRETRANSFER_TIME_T) > 0
    }

    private func prepare(
        _ request: HTTPRequest, _ limits: HTTPLimits,
        headers: UnsafeMutablePointer<curl_slist>?, _ sink: AnswerSink
    ) throws(ServiceError) {
        let context = unsafe Unmanaged.passUnretained(sink).toOpaque()
        unsafe _ = tapcard_libcurl_set_pointer(functions, easy, CURLOPT_ERRORBUFFER, errorText)
        try set(CURLOPT_URL, request.url)
        try set(CURLOPT_USERAGENT, options.userAgent)
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        // A redirect could deliver a code, token, or password to someone else.
        try set(CURLOPT_FOLLOWLOCATION, 0)
        // libcurl must not resolve ".." in a path, because that could change the path.
        try set(CURLOPT_PATH_AS_IS, 1)
        // The headers in a proxy's response to CONNECT do not come from the service.
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // libcurl must not install any signal handlers. It still reports a broken pipe as an error
        // code.
        try set(CURLOPT_NOSIGNAL, 1)
        // Otherwise, an unresponsive name server could delay a transfer beyond its limit.
        try set(CURLOPT_QUICK_EXIT, 1)
        try prepareConnections()
        try set(CURLOPT_CONNECTTIMEOUT_MS, limits.connecting.wholeMilliseconds)
        if sink.isStreaming {
            try set(CURLOPT_LOW_SPEED_LIMIT, 1)
            try set(CURLOPT_LOW_SPEED_TIME, (limits.whole.wholeMilliseconds + 999) / 1_000)
        } else {
            try set(CURLOPT_TIMEOUT_MS, limits.whole.wholeMilliseconds)
            // libcurl checks the announced size before the headers are complete.
            let size = request.ignoresBody ? 0 : Int64(request.bodyLimit)
            try require(
                unsafe tapcard_libcurl_set_size(
                    functions, easy, CURLOPT_MAXFILESIZE_LARGE, size))
        }
        try prepareTrust()
        if let proxy = options.proxy { try set(CURLOPT_PROXY, proxy) }
        unsafe _ = tapcard_libcurl_set_pointer(functions, easy, CURLOPT_HTTPHEADER, headers)
        unsafe _ = tapcard_libcurl_set_taker(
            functions, easy, CURLOPT_HEADERFUNCTION, AnswerCallbacks.head)
        unsafe _ = tapcard_libcurl_set_pointer(functions, easy, CURLOPT_HEADERDATA, context)
        unsafe _ = tapcard_libcurl_set_taker(
            functions, easy, CURLOPT_WRITEFUNCTION, AnswerCallbacks.body)
        unsafe _ = tapcard_libcurl_set_pointer(functions, easy, CURLOPT_WRITEDATA, context)
        let body: [UInt8]
        switch request.method {
        case .get: return
        case .delete:
            try set(CURLOPT_CUSTOMREQUEST, "DELETE")
            return try set(CURLOPT_FRESH_CONNECT, 1)
        case .message(let bytes): body = bytes
        case .post(let bytes):
            body = bytes
            // If a reused connection turns out to be dead, libcurl sends the request again on its
            // own. It never does so on a new connection.
            try set(CURLOPT_FRESH_CONNECT, 1)
        }
        try set(CURLOPT_POSTFIELDSIZE, body.count)
        try require(
            unsafe body.withUnsafeBytes { bytes in
                unsafe tapcard_libcurl_set_pointer(
                    functions, easy, CURLOPT_COPYPOSTFIELDS,
                    UnsafeMutableRawPointer(mutating: bytes.baseAddress))
            })
    }

    private func prepareConnections() throws(ServiceError) {
        guard options.noticesDeadLines else {
            return try require(unsafe tapcard_libcurl_prepare_sockets(functions, easy, 0))
        }
        // A dead connection ends 9 seconds after the last response, or 8 seconds after a request.
        try require(unsafe tapcard_libcurl_prepare_sockets(functions, easy, 8_000))
        try set(CURLOPT_TCP_KEEPALIVE, 1)
        try set(CURLOPT_TCP_KEEPIDLE, 5)
        try set(CURLOPT_TCP_KEEPINTVL, 2)
    }

    private func prepareTrust() throws(ServiceError) {
        guard options.pins.isEmpty else {
            // Whoever has the key is the server. That an authority vouches for it, and for its name
            // and its dates, would prove less, and need a file and a clock that is right.
            try set(CURLOPT_SSL_VERIFYPEER, 0)
            try set(CURLOPT_SSL_VERIFYHOST, 0)
            let pins = options.pins.map { "sha256//" + Base64.encode($0) }
            return try set(CURLOPT_PINNEDPUBLICKEY, pins.joined(separator: ";"))
        }
        if let authorities = options.authorities { try set(CURLOPT_CAINFO, authorities) }
    }

    private func headerList(
        _ request: HTTPRequest
    ) throws(ServiceError) -> UnsafeMutablePointer<curl_slist>? {
        var lines = request.headers.map { "\($0.name): \($0.value)" }
        // An empty header keeps libcurl from sending its own "Expect: 100-continue".
        switch request.method {
        case .get, .delete: break
        case .post: lines += ["Content-Type: application/json", "Expect:"]
        case .message: lines += ["Content-Type: application/octet-stream", "Expect:"]
        }
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            guard let extended = unsafe functions.slist_append(list, line) else {
                unsafe functions.slist_free_all(list)
                throw ServiceError(.noClient, "libcurl has no memory for a request")
            }
            unsafe list = extended
        }
        return unsafe list
    }

    private func set(_ option: CURLoption, _ value: String) throws(ServiceError) {
        try require(unsafe tapcard_libcurl_set_text(functions, easy, option, value))
    }

    private func set(_ option: CURLoption, _ value: Int) throws(ServiceError) {
        try require(unsafe tapcard_libcurl_set_number(functions, easy, option, value))
    }

    /// Throws an error if libcurl rejected an option. Without the option, a request could behave
    /// differently, so a version of libcurl that is too old is not used at all.
    private func require(_ code: CURLcode) throws(ServiceError) {
        guard code != CURLE_OK else { return }
        throw ServiceError(.noClient, "libcurl rejected a setting: \(meaning(of: code))")
    }

    private func meaning(of code: CURLcode) -> String {
        guard let text = functions.easy_strerror(code) else { return "code \(code.rawValue)" }
        return unsafe String(cString: text)
    }

    /// Collects the facts about a failed transfer.
    private func failure(
        _ code: CURLcode, _ sink: AnswerSink, _ limits: HTTPLimits
    ) -> CurlFailure {
        // libcurl's description of this transfer is more specific than that of the code.
        let text = unsafe String(cString: errorText)
        return CurlFailure(
            code: code.rawValue, words: text.isEmpty ? meaning(of: code) : text,
            excess: sink.excess, isSent: isSent,
            systemError: unsafe tapcard_libcurl_number(functions, easy, CURLINFO_OS_ERRNO),
            proxyStatus: unsafe tapcard_libcurl_number(functions, easy, CURLINFO_HTTP_CONNECTCODE),
            limits: limits)
    }
}

extension Duration {
    /// Whole milliseconds, at least one, because libcurl takes zero to mean no limit.
    fileprivate var wholeMilliseconds: Int {
        let (seconds, rest) = components
        return max(1, Int(clamping: seconds) * 1_000 + Int(rest / 1_000_000_000_000_000))
    }
}
