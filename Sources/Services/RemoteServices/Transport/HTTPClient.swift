import BlockingLane
package import TapcardDomain

/// Makes requests with libcurl, one after another, on its own lane. Connections stay open between
/// requests. Each service has its own client, so that requests to one service never wait for
/// requests to another.
///
/// The time that a request spends in the queue counts toward its time limit. A request whose time
/// runs out in the queue is not sent.
package actor HTTPClient: HTTPStreaming {
    /// The options for all of a client's requests.
    package struct Options: Hashable, Sendable {
        package let userAgent: String
        /// A file with the certificates of trusted authorities, used in addition to those in the
        /// system's folder.
        package let authorities: String?
        /// The address of a proxy; empty for no proxy. If it is `nil`, libcurl uses the environment
        /// variables http_proxy, https_proxy, all_proxy, and no_proxy.
        package let proxy: String?
        /// The SHA-256 hashes of the public keys by which servers are recognized; empty if their
        /// certificates are verified instead.
        package let pins: [[UInt8]]
        /// Whether a connection ends within ten seconds once the other machine no longer responds
        /// to anything, even while a request is being sent.
        package let noticesDeadLines: Bool

        /// Creates options. `version` is tapcard's version, which is sent in each request.
        package init(
            version: String, authorities: String? = nil, proxy: String? = nil,
            pins: [[UInt8]] = [], noticesDeadLines: Bool = false
        ) {
            userAgent = "tapcard/\(version)"
            (self.authorities, self.proxy) = (authorities, proxy)
            (self.pins, self.noticesDeadLines) = (pins, noticesDeadLines)
        }
    }

    private let options: Options
    private let libraryFile: String
    private let uptime: @Sendable () -> Duration
    private nonisolated let lane = BlockingLane(label: "tapcard.http")
    private var connection: CurlConnection?

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe lane.asUnownedSerialExecutor()
    }

    package init(_ options: Options) {
        self.init(options, uptime: ServiceDependencies.system.uptime)
    }

    package init(
        _ options: Options, library: String? = nil, uptime: @escaping @Sendable () -> Duration
    ) {
        self.options = options
        libraryFile = library ?? CurlLibrary.defaultFile
        self.uptime = uptime
    }

    package nonisolated func send(
        _ request: HTTPRequest, by limits: HTTPLimits
    ) async throws(ServiceError) -> HTTPAnswer {
        try await run(request, by: limits)
    }

    package nonisolated func stream(
        _ request: HTTPRequest, connecting: Duration, silence: Duration,
        _ take: @escaping @Sendable ([UInt8]) -> Void
    ) async throws(ServiceError) -> HTTPAnswer {
        try await run(
            request, by: HTTPLimits(connecting: connecting, whole: silence), streaming: take)
    }

    private nonisolated func run(
        _ request: HTTPRequest, by limits: HTTPLimits,
        streaming take: (@Sendable ([UInt8]) -> Void)? = nil
    ) async throws(ServiceError) -> HTTPAnswer {
        let start = uptime()
        let abort = TransferSwitch()
        // `withTaskCancellationHandler` would lose the error's type; a `Result` preserves it.
        return try await withTaskCancellationHandler {
            await perform(request, limits, since: start, streaming: take, abort)
        } onCancel: {
            abort.turnOff()
        }.get()
    }

    private func perform(
        _ request: HTTPRequest, _ limits: HTTPLimits, since start: Duration,
        streaming take: (@Sendable ([UInt8]) -> Void)?, _ abort: TransferSwitch
    ) -> Result<HTTPAnswer, ServiceError> {
        Result { () throws(ServiceError) in
            // The request may have been canceled while it was in the queue.
            if abort.isOff { throw ServiceError(.cancelled, "the request was stopped") }
            let rest = limits.whole - (uptime() - start)
            guard rest > .zero else {
                throw ServiceError(
                    .timedOut, "earlier requests used up the time limit of \(limits.whole.shown)")
            }
            return try connected().perform(
                request, by: limits, within: rest, streaming: take, abort)
        }
    }

    /// Loads libcurl now, for a program that may not have enough file descriptors left later. If
    /// loading fails, it is not tried again.
    package static func prepare() { _ = try? CurlLibrary.load() }

    private func connected() throws(ServiceError) -> CurlConnection {
        if let connection { return connection }
        let new = try CurlConnection(try .load(libraryFile), options)
        // Later requests reuse the open connections.
        connection = new
        return new
    }
}
