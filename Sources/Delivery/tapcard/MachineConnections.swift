import Glibc
import StationFiles
import TapcardCore
import Verbs

/// Asks servers whether they accept this machine's readers.
enum MachineConnections {
    /// Asks the servers of all saved connections.
    static func check(_ settings: Settings) async throws(TapcardError) -> ConnectionCheck {
        try await ask(ConnectionFile(in: settings.dataFolder).connections(), settings)
    }

    /// Asks each server of these connections.
    static func ask(
        _ connections: [AgentConnection], _ settings: Settings
    ) async throws(TapcardError) -> ConnectionCheck {
        var servers: [CheckedServer] = []
        for var connection in connections {
            for server in connection.servers {
                connection.servers = [server]
                servers.append(try await HTTPAgentLine(connection, settings).check())
            }
        }
        // Servers on this machine are asked directly.
        let usesProxy = connections.flatMap(\.servers).contains { $0.hasPrefix("https:") }
        return ConnectionCheck(servers, proxy: usesProxy ? proxy : nil)
    }

    /// The variables that can name a proxy for HTTPS, in the order in which libcurl reads them.
    static let proxyVariables = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]

    private static var proxy: (variable: String, place: String)? {
        for name in proxyVariables {
            // libcurl ignores empty variables, too.
            guard let value = unsafe getenv(name).map({ unsafe String(cString: $0) }),
                !value.isEmpty
            else { continue }
            // The part before the "@" may contain a password.
            let rest = value.split(separator: "@").last ?? ""
            let place = rest.firstRange(of: "://").map { rest[$0.upperBound...] } ?? rest
            return place.isEmpty ? nil : (variable: name, place: String(place))
        }
        return nil
    }
}
