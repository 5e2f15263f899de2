import Ledger
import RemoteReader

/// The tills of one server.
struct TillRunners: Sendable {
    /// Runs whatever belongs to no till, with the server's own settings, ledger, and files.
    let server: TillRunner
    /// The tills whose readers are on this machine.
    let local: [TillRunner]
    /// Creates the runner for a till whose reader is on another machine.
    let remote: @Sendable (EnrolledTill, RemoteReader) async -> TillRunner
}
