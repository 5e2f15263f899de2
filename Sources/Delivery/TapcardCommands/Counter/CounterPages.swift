public import TapcardCore

/// A certificate and the key that belongs to it: the names of two files in PEM.
public struct TLSFiles: Sendable, Hashable {
    public let certificate: String
    public let key: String

    public init(certificate: String, key: String) {
        (self.certificate, self.key) = (certificate, key)
    }
}

/// Where a counter page is to be served, and how.
public struct ServeRequest: Sendable, Hashable {
    /// Zero is any port that is free.
    public var port: UInt16 = 0
    /// A payment is shown for longer than it takes.
    public var demoPace = false
    /// An IPv4 address in digits.
    public var address = "127.0.0.1"
    /// Other names under which browsers know this machine.
    public var names: [String] = []
    /// Files with a certificate and its key; without them it is plain HTTP.
    public var tls: TLSFiles?
    /// Whether nobody is to be let in without a password.
    public var mustLogIn = false

    public init() {}
}

/// Serves the counter page.
public protocol CounterPages: Sendable {
    func start(
        _ request: ServeRequest, _ desk: CounterDesk, log: @escaping @Sendable (String) -> Void
    ) async throws(TapcardError) -> any RunningCounterPage
}

/// A page that is being served.
public protocol RunningCounterPage: Sendable {
    var address: String { get }
    /// Returns when the task is cancelled.
    func waitForCancellation() async
    /// Begins nothing new, and returns when all that runs has come to its end.
    func stop() async
}
