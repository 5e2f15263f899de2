import DurableFile
package import Ledger
import ReaderDiagnosis
import StyledText
import TapcardCore
import TapcardDomain
import TextCodecs

extension Parameter<Bool> {
    fileprivate static var lossless: Self {
        .flag("lossless", "Say that this server has every commit that a station was told of")
    }
    fileprivate static var afterLoss: Self {
        .flag("after-loss", "Say that commits may be lost: every card skips numbers")
    }
}

extension Parameter<StationName> {
    fileprivate static var station: Self {
        .argument("NAME", .station, "Its name, which is its login")
    }
}

extension Command {
    /// The commands for the owner of a ledger that stations share.
    static let ledgerCommands: [Command] = [
        Command(
            "ledger init", group: .ledger, "Make an empty ledger in an empty database",
            discussion:
                "The login of the address becomes its owner; it needs the right CREATEROLE. "
                + "The ledger keeps its currency for good.",
            answers: .database,
            example: "tapcard --ledger postgresql://owner@db.example/tapcard ledger init "
                + "--currency EUR"
        ) { session throws(TapcardError) in try await session.makeLedger() },
        Command(
            "ledger status", group: .ledger, "Show whether the ledger in a database is in order",
            answers: .database, example: "tapcard ledger status"
        ) { session throws(TapcardError) in try await session.ledgerStatus() },
        Command(
            "ledger reopen", group: .ledger,
            "Open the ledger after its database was promoted or restored",
            discussion: "Until then every station refuses money. Say --lossless only where the "
                + "server that took over was a synchronous replica and confirmed every commit. "
                + "Otherwise say --after-loss: every card skips \(restoreGap) numbers at its next "
                + "change, so that no number is used twice. Cards that were used in what is lost "
                + "are refused as \"ledger behind\" until an operator repairs them.",
            takes: .lossless, .afterLoss, answers: .database,
            example: "tapcard ledger reopen --lossless"
        ) { session throws(TapcardError) in try await session.reopenLedger() },
        Command(
            "station register", group: .ledger, "Give a station a login of its own",
            discussion: "Its password goes into FILE, as libpq reads it from ~/.pgpass. Take the "
                + "file to the station, where nobody else may read it.",
            takes: .station, .newFile, answers: .registered,
            example: "tapcard station register till-1 till-1.pgpass"
        ) { session throws(TapcardError) in try await session.registerStation() },
        Command(
            "station list", group: .ledger, "Show the stations of the ledger",
            answers: .stations, example: "tapcard station list"
        ) { session throws(TapcardError) in try await session.listStations() },
        Command(
            "station revoke", group: .ledger, "End the rights of a station at once",
            discussion:
                "A machine that was stolen or sold. Its name is not used again. The keys on "
                + "it stay valid: tapcard keys rotate and keys retire end them.",
            takes: .station, answers: .revoked, example: "tapcard station revoke till-1"
        ) { session throws(TapcardError) in try await session.revokeStation() },
    ]
}

extension Session {
    /// The database of the ledger, with its address.
    private func database() throws(TapcardError) -> any LedgerDatabase {
        guard case .database(let address) = try settings.ledgerPlace else {
            throw TapcardError.usage(
                "The ledger of this station is a file, which no other station shares.",
                advice: "Name a database with --ledger postgresql://LOGIN@HOST/DATABASE.")
        }
        return drivers.database(address)
    }

    private func asOwner<Success: Sendable>(
        _ body: (any LedgerDatabase) async throws(LedgerError) -> Success
    ) async throws(TapcardError) -> Success {
        let database = try database()
        do { return try await body(database) } catch { throw TapcardError(error) }
    }

    fileprivate func makeLedger() async throws(TapcardError) -> Report {
        guard let currency = try settings.currency else {
            throw TapcardError.usage(
                "Which currency does this ledger keep? It cannot be changed later.",
                advice: "Name it, such as --currency EUR. There are "
                    + Currency.known.map(\.code).joined(separator: ", ") + ".")
        }
        let status = try await asOwner { database throws(LedgerError) in
            try await database.makeLedger(in: currency)
            return try await database.status()
        }
        return report(
            on: status,
            [
                "The ledger is made, in \(currency.code)",
                "Next: tapcard station register NAME FILE for each station",
            ])
    }

    fileprivate func ledgerStatus() async throws(TapcardError) -> Report {
        let status = try await asOwner { database throws(LedgerError) in
            try await database.status()
        }
        return report(on: status, [])
    }

    fileprivate func reopenLedger() async throws(TapcardError) -> Report {
        guard self[.lossless] != self[.afterLoss] else {
            throw TapcardError.usage(
                "Say whether commits may be lost.",
                advice: "Write --lossless, or --after-loss if you are not sure.")
        }
        let loss = self[.lossless] ? DeclaredLoss.nothing : .something
        let status = try await asOwner { database throws(LedgerError) in
            try await database.reopen(loss)
            return try await database.status()
        }
        return report(on: status, ["The ledger is open on this server"])
    }

    private func report(on status: DatabaseStatus, _ deed: [String]) -> Report {
        let findings = status.findings
        return Report(
            status.members + ["findings": findings.document],
            deed + (deed.isEmpty ? findings.flatMap(\.lines) : []),
            problem: status.isOpen
                ? nil
                : TapcardError(
                    .ledgerUndeclared, "The ledger is not open on this server.",
                    advice: "Follow the steps above."),
            isPlain: deed.isEmpty, isDeed: !deed.isEmpty)
    }

    fileprivate func registerStation() async throws(TapcardError) -> Report {
        let (name, path) = (try self[.station], try self[.newFile])
        let place = try settings.ledgerPlace.place(for: name)
        let isStream = path == DurableFile.standardStream
        if isStream { try requireStream("The password") }
        try requireNew(path)
        let password = surroundings.random(16).map { String($0, radix: 36) }.joined()
        let line = "*:*:*:\(name):\(password)\n"
        // Written first: a login whose password is lost would have to be revoked.
        if !isStream {
            do throws(FileError) {
                try DurableFile(path).write(Array(line.utf8), mode: 0o600)
            } catch {
                throw TapcardError(
                    .fileUnusable, "The password cannot be written: \(error.detail).",
                    meaning: "No station was registered.")
            }
        }
        let number = try await asOwner { database throws(LedgerError) in
            try await database.register(name, password: password)
        }
        if isStream {
            output.write(Array(line.utf8))
            return .nothing
        }
        return Report(
            [
                "station": .string(name.text), "number": .number(String(number)),
                "ledger": .string("\(place)"), "file": .string(path),
            ],
            [
                "Station \(name) is registered; its password is in \(path)",
                "There: make that file ~/.pgpass, import the keys, and then",
                "  tapcard config set ledger '\(place)'",
            ], isDeed: true)
    }

    fileprivate func listStations() async throws(TapcardError) -> Report {
        let stations = try await asOwner { database throws(LedgerError) in
            try await database.stations()
        }
        let widest = stations.map(\.name.count).max() ?? 0
        return Report(
            ["stations": stations.document],
            stations.isEmpty
                ? ["There are no stations: tapcard station register makes one"]
                : stations.map { station in
                    let state =
                        station.revokedAt.map { "revoked \(LocalTime.text($0))" }
                        ?? station.seenAt.map { "last seen \(LocalTime.text($0))" }
                        ?? "never seen"
                    return "\(station.number)  \(station.name.padded(widest))  \(state)"
                }, isPlain: true)
    }

    fileprivate func revokeStation() async throws(TapcardError) -> Report {
        let name = try self[.station]
        try await asOwner { database throws(LedgerError) in try await database.revoke(name) }
        return Report(
            ["station": .string(name.text)],
            [
                "Station \(name) takes no money any more",
                "If its machine is in other hands: tapcard keys rotate, then tapcard keys retire",
            ], isDeed: true)
    }
}

extension RegisteredStation: DocumentedObject {
    static let fields: Fields<RegisteredStation> = [
        "number": .of(\.number), "name": .of(\.name), "registered": .of(\.registeredAt),
        "revoked": .of(\.revokedAt), "seen": .of(\.seenAt),
    ]
}

extension DatabaseStatus: DocumentedObject {
    static let fields: Fields<DatabaseStatus> = [
        "currency": .of(\.currency.code), "schema": .of(\.schema), "version": .of(\.version),
        "login": .of(\.login), "open": .of(\.isOpen), "epoch": .of(\.epoch),
        "synchronous": .of(\.synchronousReplicas), "replicas": .of(\.replicas),
        "clockLead": .of(Schema.integer, \.clockLead), "openOperations": .of(\.openOperations),
        "oldestOpen": .of(\.oldestOpen), "transactionAge": .of(\.transactionAge),
    ]

    /// What is in order, and what is not.
    var findings: [Finding] {
        [opening, replication, clock, operations, age].compactMap(\.self)
    }

    private var opening: Finding? {
        isOpen
            ? Finding(
                .ledger, .ok, "PostgreSQL \(version) has the ledger, in \(currency.code).")
            : Finding(
                .ledgerUndeclared, .problem,
                "The database was promoted or restored since the ledger was opened: no station "
                    + "takes money.",
                remedy: [
                    .say("If the server was a synchronous replica with every commit:"),
                    .run("tapcard ledger reopen --lossless"),
                    .say("If it is not certain, or after a restore:"),
                    .run("tapcard ledger reopen --after-loss"),
                ])
    }

    private var replication: Finding? {
        guard !synchronousReplicas.isEmpty else {
            return Finding(
                .noReplica, .note,
                "No commit waits for a replica: what stations were told is lost with the "
                    + "server's disk.",
                remedy: [.say("docs/STATIONS.md shows how three servers keep the ledger.")])
        }
        guard let replicas else { return nil }
        return replicas > 0
            ? Finding(.replica, .ok, "Replicas that are connected: \(replicas).")
            : Finding(
                .noReplica, .problem,
                "Commits wait for a replica, and none is connected: no station takes money.")
    }

    private static let mostLead: Int64 = 5_000

    private var clock: Finding? {
        guard abs(clockLead) > DatabaseStatus.mostLead else { return nil }
        let seconds = abs(clockLead) / 1_000
        return Finding(
            .clock, .problem,
            "The clock of this station is \(seconds) s "
                + (clockLead > 0 ? "behind" : "ahead of") + " that of the database.",
            remedy: [.say("Set it by NTP:"), .run("timedatectl set-ntp true")])
    }

    private var operations: Finding? {
        guard openOperations > 0 else { return nil }
        return Finding(
            .openOperations, .note,
            "Operations that wait for the next tap of their card: \(openOperations)"
                + (oldestOpen.map { ", the oldest since \(LocalTime.text($0))." } ?? "."))
    }

    private static let mostAge: Int64 = 1_000_000_000

    private var age: Finding? {
        guard transactionAge > DatabaseStatus.mostAge else { return nil }
        return Finding(
            .transactionAge, .problem,
            "The database has gone \(transactionAge) transactions without a freeze; at "
                + "2000000000 it stops.",
            remedy: [.say("As the owner, at a quiet hour:"), .run("vacuumdb --freeze DATABASE")])
    }
}
