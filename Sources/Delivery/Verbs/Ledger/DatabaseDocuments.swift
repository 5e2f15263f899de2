package import Ledger
import ReaderDiagnosis
import TapcardDomain
package import TextCodecs

extension RegisteredStation: DocumentedObject {
    static let fields: Fields<RegisteredStation> = [
        "number": .of(\.number), "name": .of(\.name), "registered": .of(\.registeredAt),
        "revoked": .of(\.revokedAt), "seen": .of(\.seenAt),
        "keys": .of { $0.keys?.sorted() }, "keysTold": .of(\.keysAt),
    ]
}

extension DatabaseStatus: DocumentedObject {
    static let fields: Fields<DatabaseStatus> = [
        "currency": .of(\.currency.code), "schema": .of(\.schema), "tables": .of(\.reach),
        "version": .of(\.version),
        "login": .of(\.login), "open": .of(\.isOpen), "epoch": .of(\.epoch),
        "synchronous": .of(\.synchronousReplicas), "replicas": .of(\.replicas),
        "clockLead": .of(Schema.integer, \.clockLead), "openOperations": .of(\.openOperations),
        "oldestOpen": .of(\.oldestOpen), "transactionAge": .of(\.transactionAge),
        "linkTimeout": .of(\.link.timeout),
        "keys": .of(\.keys), "journals": .of(\.journals),
    ]
}

extension Replica: DocumentedObject {
    static let fields: Fields<Replica> = [
        "name": .of(\.name), "state": .of(\.state), "synchrony": .of(\.synchrony),
        "inStep": .of(\.isSynchronous), "lag": .of(\.lag),
    ]
}

extension IssuerKeys: DocumentedObject {
    static let fields: Fields<IssuerKeys> = [
        "sealing": .of(\.sealing), "nextKey": .of(\.next), "announced": .of(\.announcedAt),
        "lacking": .of(\.lackingNames),
    ]

    /// The stations that lack the sealing key or the next one.
    private var lackingNames: [String] {
        let wanted = [sealing, next].compactMap(\.self)
        return stations.filter { station in
            // A station that has reported no keys lacks them, too.
            wanted.contains { station.keys?.contains($0) != true }
        }.map(\.name)
    }
}

/// The state of the database in a station's health report.
package struct DatabaseReport: Sendable {
    /// The members that `ledger status --json` prints.
    package let document: JSONValue
    /// The ID of the problem that stops payments; nil if there is none.
    package let problem: String?
    /// The sentence about the problem that stops payments; nil if there is none.
    package let why: String?

    package init(_ status: DatabaseStatus) {
        let finding = status.findings.first { $0.severity == .problem }
        document = status.document
        (problem, why) = (finding?.id.rawValue, finding?.what)
    }

    package static let schema = DatabaseStatus.schema
}
