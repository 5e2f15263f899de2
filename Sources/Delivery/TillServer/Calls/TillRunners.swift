import Ledger
import RemoteReader

/// The tills of one server.
struct TillRunners: Sendable {
    /// The server's own settings, ledger, and files, for what does not belong to a till.
    let server: TillRunner
    /// The tills whose readers are on this machine.
    let local: [TillRunner]
    /// Makes a till whose reader is on another machine.
    let remote: @Sendable (EnrolledTill, RemoteReader) async -> TillRunner
}
