package import TapcardCore
import TextCodecs

/// What an agent needs to drive a reader for a server.
package struct AgentConnection: Hashable, Sendable {
    /// The reader, as named in the settings; empty for the first usable one.
    package let reader: String
    /// The servers' addresses.
    package let servers: [String]
    /// The secret token by which servers recognize the till.
    package let token: String
    /// The hash of the code that was sent with the token. A repeated code is sent with the same
    /// token, because the first answer may have been lost.
    package let code: String

    package init(reader: String, servers: [String], token: String, code: String) {
        (self.reader, self.servers, self.token, self.code) = (reader, servers, token, code)
    }
}

extension AgentConnection: PrivateEntry {
    var name: String { reader }

    var document: JSONValue {
        [
            "reader": .string(reader), "servers": .array(servers.map { .string($0) }),
            "token": .string(token), "code": .string(code),
        ]
    }

    init?(_ document: JSONValue) {
        guard let reader = document["reader"]?.string, let token = document["token"]?.string,
            let code = document["code"]?.string,
            let servers = document["servers"]?.array?.map(\.string), !servers.isEmpty,
            servers.allSatisfy({ $0 != nil })
        else { return nil }
        self.init(reader: reader, servers: servers.compactMap(\.self), token: token, code: code)
    }
}

/// The file that stores the connections of this machine's readers to servers. It is rejected if
/// anyone but its owner can access it.
package struct ConnectionFile: Sendable {
    private static let maximumCount = 16

    private let list: PrivateList<AgentConnection>

    package init(path: String) {
        list = PrivateList(
            file: PrivateFile(
                path: path, secret: .connections, kind: .fileUnusable,
                name: "The connection file", meaning: "The reader is not connected."),
            what: "connections", maximumCount: ConnectionFile.maximumCount)
    }

    /// The connection of this reader, if there is one.
    package func connection(of reader: String) throws(TapcardError) -> AgentConnection? {
        try list.load().first { $0.reader == reader }
    }

    /// Saves a reader's connection, replacing any earlier one.
    package func save(_ connection: AgentConnection) throws(TapcardError) {
        try list.change { connections in
            connections.removeAll { $0.reader == connection.reader }
            connections.append(connection)
        }
    }
}
