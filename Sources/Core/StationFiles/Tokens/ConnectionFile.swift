package import TapcardCore
import TextCodecs

/// How an agent connects a reader to its server and authenticates.
package struct AgentConnection: Hashable, Sendable {
    /// The reader's name in the settings; empty if they name none, so that the first usable reader
    /// is used. Until a server has accepted the code, it is ``unconfirmed(_:)``.
    package var reader: String
    /// The servers' URLs, in the order in which the agent tries them.
    package var servers: [String]
    /// The secret token with which the agent authenticates. Servers store only its hash.
    package let token: String
    /// The hash of the code that was sent with the token's hash. If the user enters the same code
    /// again, the same token is used, because the first response may have been lost.
    package let code: String
    /// The keys by which the servers are recognized; empty if their certificates are verified.
    package let pins: [ServerPin]

    package init(
        reader: String, servers: [String], token: String, code: String, pins: [ServerPin]
    ) {
        (self.reader, self.servers, self.token, self.code) = (reader, servers, token, code)
        self.pins = pins
    }

    /// The name under which a connection is saved until a server has accepted its code.
    package static func unconfirmed(_ reader: String) -> String { reader + "?" }

    fileprivate var isConfirmed: Bool { !reader.hasSuffix("?") }
}

extension AgentConnection: PrivateEntry {
    var name: String { reader }

    var document: JSONValue {
        [
            "reader": .string(reader), "servers": .array(servers.map { .string($0) }),
            "token": .string(token), "code": .string(code),
            "pins": .array(pins.map { .string($0.text) }),
        ]
    }

    init?(_ document: JSONValue) {
        let pins = (document["pins"]?.array ?? []).map { $0.string.flatMap { ServerPin($0) } }
        guard let reader = document["reader"]?.string, let token = document["token"]?.string,
            let code = document["code"]?.string,
            let servers = document["servers"]?.array?.map(\.string), !servers.isEmpty,
            servers.allSatisfy({ $0 != nil }),
            pins.allSatisfy({ $0 != nil })
        else { return nil }
        self.init(
            reader: reader, servers: servers.compactMap(\.self), token: token, code: code,
            pins: pins.compactMap(\.self))
    }
}

/// The file with the server connections of this machine's readers. It is rejected if anyone but its
/// owner can access it.
package struct ConnectionFile: Sendable {
    private static let maximumCount = 16

    private let list: PrivateList<AgentConnection>

    /// Creates access to the file in this folder.
    package init(in folder: String) {
        list = PrivateList(
            file: PrivateFile(
                path: folder + "/connections.json", secret: .connections, kind: .fileUnusable,
                name: "The connection file", meaning: "The reader is not connected."),
            what: "connections", maximumCount: ConnectionFile.maximumCount)
    }

    /// The saved connections whose codes servers have accepted.
    package func connections() throws(TapcardError) -> [AgentConnection] {
        try list.load().filter(\.isConfirmed)
    }

    /// The saved connection of this reader; nil if it has none.
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
