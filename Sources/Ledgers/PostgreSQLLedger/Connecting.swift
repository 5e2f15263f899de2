import BlockingLane
import CPQ
import Glibc
import Ledger

/// Connects to the server that accepts changes, among all servers in an address.
///
/// libpq tries the servers one after another. It waits for each server that does not respond, and
/// it waits for the resolver without any limit. Both take too long for a cashier, so this type uses
/// the first server that responds, with one timeout for all servers together.
enum Connecting {
    /// The settings that select one server in an address.
    typealias Server = [String: String]

    /// How long to wait before also trying the next server.
    private static let headStart = Duration.milliseconds(300)

    /// Opens a connection, or throws an error that lists each server's failure. If no limit is
    /// given, no cashier is waiting, so a busy server gets more time.
    static func connection(
        to address: String, within limit: Duration?
    ) throws(LedgerError) -> OpaquePointer {
        let library = try PQLibrary.functions()
        let servers = servers(of: address, library)
        // libpq waits at least 2 s for a connection.
        let seconds = limit.map { max(2, Int($0.components.seconds)) } ?? 10
        // The pointer is passed between threads as a number, and only one thread owns it at a time.
        let answer = FirstAnswer(of: servers.count, headStart: headStart, within: limit) {
            unsafe library.finish(OpaquePointer(bitPattern: $0))
        } ask: { place in
            attempt(at: address, servers[place], seconds: seconds, library)
        }
        switch answer {
        case .found(let number):
            guard let handle = unsafe OpaquePointer(bitPattern: number) else { break }
            return unsafe handle
        case .none(let failures):
            let reasons = zip(servers, failures).map { server, failure in
                failure?.reason ?? "no response from \(name(of: server))"
            }
            let reason = reasons.joined(separator: "; ")
            throw LedgerError(
                Link.isServerRefusal(reason) ? .unavailable : .offline, Link.refusal(reason))
        }
        throw LedgerError(.unavailable, "libpq is out of memory")
    }

    private struct Failure: Error { let reason: String }

    /// Opens a connection to one server.
    private static func attempt(
        at address: String, _ server: Server, seconds: Int, _ library: tapcard_libpq
    ) -> Result<Int, Failure> {
        // libpq lets the address override the settings listed before it, but not those after it.
        let settings =
            [
                ("connect_timeout", "\(seconds)"), ("tcp_user_timeout", "6000"),
                ("keepalives_idle", "10"), ("keepalives_interval", "2"), ("keepalives_count", "2"),
                ("sslmode", "verify-full"), ("target_session_attrs", "read-write"),
                ("application_name", "tapcard"), ("dbname", address), ("client_encoding", "UTF8"),
            ] + server.map { ($0.key, $0.value) }
        var (names, values) = unsafe (
            settings.map { unsafe UnsafePointer(strdup($0.0)) } + [nil],
            settings.map { unsafe UnsafePointer(strdup($0.1)) } + [nil]
        )
        defer {
            unsafe (names + values).forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) }
        }
        let handle = unsafe library.connectdbParams(&names, &values, 1)
        if let handle = unsafe handle, unsafe library.status(handle) == CONNECTION_OK {
            return .success(Int(bitPattern: handle))
        }
        defer { if let handle = unsafe handle { unsafe library.finish(handle) } }
        return .failure(Failure(reason: unsafe Link.message(of: handle, library)))
    }

    private static func name(of server: Server) -> String {
        server.isEmpty
            ? "the database"
            : server.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
                .joined(separator: ", ")
    }

    /// The servers in an address; a single server without settings if the address contains at most
    /// one server. In that case, libpq takes the server from its environment or a service file, or
    /// reports what is wrong with the address.
    private static func servers(of address: String, _ library: tapcard_libpq) -> [Server] {
        guard let options = unsafe library.conninfoParse(address, nil) else { return [[:]] }
        defer { unsafe library.conninfoFree(options) }
        var lists: [String: [String]] = [:]
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            let name = unsafe String(cString: keyword)
            if ["host", "hostaddr", "port"].contains(name), let value = unsafe option.pointee.val {
                // Empty parts are kept, so that all lists have one part per server. An empty port
                // stands for libpq's default.
                lists[name] = unsafe String(cString: value).split(
                    separator: ",", omittingEmptySubsequences: false
                ).map { $0.isEmpty && name == "port" ? "5432" : String($0) }
            }
            unsafe option += 1
        }
        let count = (lists["host"] ?? lists["hostaddr"])?.count ?? 1
        // As in libpq, a single port applies to all servers.
        let isConsistent = lists.allSatisfy { name, values in
            !values.contains("")
                && (values.count == count || name == "port" && values.count == 1)
        }
        guard count > 1, isConsistent else { return [[:]] }
        return (0..<count).map { place in
            lists.mapValues { $0.count == 1 ? $0[0] : $0[place] }
        }
    }
}
