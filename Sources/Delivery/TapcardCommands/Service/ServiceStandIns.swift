public import TapcardCore

/// The services to stand in for: where, and what goes wrong with them.
public struct SandboxRequest: Sendable, Hashable {
    /// Zero is any port that is free.
    public var port: UInt16 = 0
    /// What goes wrong from the beginning; nil for nothing.
    public var failure: String?
    /// Nil for a lottery that draws only when it is told to.
    public var drawEvery: Duration?
    /// For so many seconds an answer of the lottery may be kept; nil for the usual time.
    public var maxAge: Int?
    /// Without them it is plain HTTP.
    public var tls: TLSFiles?

    public init() {}
}

/// Plays the services on this machine.
public protocol ServiceStandIns: Sendable {
    /// Begins to answer.
    func start(_ request: SandboxRequest) async throws(TapcardError) -> any RunningSandbox
}

/// Services that are being played.
public protocol RunningSandbox: Sendable {
    var address: String { get }
    /// The base addresses, as the settings name them.
    var activation: String { get }
    var lottery: String { get }
    var mastermind: String { get }
    /// Where it is told what goes wrong.
    var control: String { get }
    var password: String { get }
    /// How many requests they have had.
    var requestCount: Int { get }
    /// Returns when the task is cancelled.
    func waitForCancellation() async
    func stop() async
}
