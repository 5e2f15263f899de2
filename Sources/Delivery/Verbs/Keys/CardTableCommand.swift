import CardCryptography
import Ledger
import ReaderDiagnosis
package import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs

extension Command {
    static let keysTable = Command(
        "keys table", group: .station, "Create a table of NTAG 424 card keys for a station",
        discussion: "A station with this table instead of the issuer's keys can take payments, "
            + "sell tickets, and close NTAG 424 cards, but cannot top up cards, refund payments, "
            + "add prizes, or issue cards. Import the file there with `tapcard keys import`, and "
            + "deliver the passphrase separately; it is printed only once. Create a new table "
            + "after issuing cards and after rotating or retiring keys.",
        takes: .newFile, answers: .cardTable, example: "tapcard keys table till-2.json",
        run: CardTableCommand.write)
}

extension KeyRing {
    /// The number of cards in a table, in words.
    var cardCount: String { tableSize == 1 ? "1 card" : "\(tableSize) cards" }
}

enum CardTableCommand {
    static func write(in session: Session) async throws(TapcardError) -> Report {
        let file = NamedFile(session[.newFile])
        try file.requireOutput("The table", session.outputOptions)
        try session.keyFile.requireMasterKeys()
        try file.requireAbsent()
        let table = try await makeTable(in: session)
        let passphrase = TablePassphrase(
            random: session.dependencies.random(TablePassphrase.randomByteCount))
        let sealed = SealedTable(table.keys, with: passphrase).json().prettyText
        // The passphrase goes to standard error, so that it is not sent along with the table.
        if file.isStream {
            session.output.write(sealed)
            session.say("tapcard: Passphrase (shown only once): \(passphrase.text)\n")
            return .nothing
        }
        try CustomerKeyFile.write(sealed, to: file.path)
        let lacking = table.lacking.sorted().map { "\($0)" }.joined(separator: ", ")
        return Report(
            [
                "file": .string(file.path), "passphrase": .string(passphrase.text),
                "cards": .number(table.cards),
            ],
            [
                "Table of card keys for \(table.keys.cardCount) written to \(file.path)",
                "Passphrase (shown only once): \(passphrase.text)",
                "Send the file and the passphrase by different channels; at the station, run: "
                    + "tapcard keys import FILE",
            ]
                + (lacking.isEmpty
                    ? []
                    : [
                        "Some cards use keys that this station lacks (\(lacking)); to import them, "
                            + "run: tapcard keys import FILE"
                    ]),
            isChange: true)
    }

    private static func makeTable(in session: Session) async throws(TapcardError) -> CardTable {
        let ledger = try await session.ledger()
        let all = try await session.keys()
        try await session.requireCommonKeys(all, ledger)
        let issuer = try await LedgerAccess(session).issuerKeys()
        let ordered = all.ordered(by: issuer)
        let made = try await LedgerAccess.translatingErrors {
            () throws(LedgerError) -> CardTable? in
            guard let ring = ordered.retiring(try await ledger.retiredKeys()) else { return nil }
            return try await CardTable(ring, next: issuer?.next, of: ledger)
        }
        // Nil means that the ledger has retired the sealing key.
        guard let made else {
            throw TapcardError(
                .keysUnusable,
                "This station seals records with key \(ordered.sealing.id), which the ledger has "
                    + "retired; its key file is out of date.",
                meaning: "No file was written.", next: [.file(.renewKeys)])
        }
        guard made.cards > 0 else {
            throw TapcardError(
                .refusal(.wrongState), "The ledger has no NTAG 424 cards.",
                meaning: "No file was written.",
                advice: "A table of card keys is useful only for NTAG 424 cards.")
        }
        return made
    }

    /// Opens the table in a sealed file with its passphrase.
    static func opened(
        _ table: SealedTable, _ path: String, in session: Session
    ) async throws(TapcardError) -> KeyRing {
        let text: String
        if let given = try session.settings.tablePassphrase {
            text = given
        } else {
            text = try await TypedSecret.tablePassphrase.typed(
                "Passphrase of the table: ", on: session.console)
        }
        guard let passphrase = TablePassphrase(typed: text) else {
            throw TapcardError(
                .usage,
                "The passphrase must be \(TablePassphrase.randomByteCount) characters long and "
                    + "contain only letters and digits.",
                meaning: KeyRotation.unchanged)
        }
        return try translating(table.open(with: passphrase)) { (error: KeyError) in
            TapcardError(
                .fileUnusable, "The table of card keys in \(path) cannot be read: \(error.detail).",
                meaning: KeyRotation.unchanged,
                advice:
                    "Check the passphrase and try again, or make a new table: tapcard keys table "
                    + "FILE")
        }
    }
}

extension KeyFile {
    /// Whether this station can top up and issue cards: it has the issuer's keys or no keys yet,
    /// not a table of card keys.
    package var loadsCards: Bool { (try? load())?.isTable != true }

    /// Refuses a station that has only a table of card keys and not the issuer's keys.
    func requireMasterKeys() throws(TapcardError) {
        guard try load()?.isTable != true else {
            throw TapcardError(
                .refusal(.wrongState),
                "This station has only a table of card keys, not the issuer's keys.",
                meaning: "Nothing was done.", next: [.trust(.useAtIssuerStation)])
        }
    }

    /// The finding for a station that has only a table of card keys; empty for any other station.
    var tableFindings: [Finding] {
        // If the key file cannot be read, the code that needs the keys reports it.
        guard let keys = try? load(), keys.isTable else { return [] }
        let others = keys.entries.filter { $0.id != keys.sealing.id }.map { "\($0.id)" }
        let generations =
            "key \(keys.sealing.id), which seals"
            + (others.isEmpty ? "" : ", and key \(others.joined(separator: ", "))")
        return [
            Finding(
                .cardTable, .note,
                "This station has only a table of card keys for \(keys.cardCount) "
                    + "(\(generations)), not the issuer's keys.",
                remedy: [
                    .say(
                        "It can read and charge these cards, but not top up, issue cards, change "
                            + "keys, or use NTAG21x cards."),
                    .say("After issuing cards or changing keys, run at the issuer's station:"),
                    .run("tapcard keys table FILE"), .say("Then run here:"),
                    .run("tapcard keys import FILE"),
                ])
        ]
    }
}

extension Report {
    /// The number of cards in a table; empty for the issuer's keys.
    static func table(of keys: KeyRing) -> Members {
        keys.isTable ? ["table": .number(keys.tableSize)] : [:]
    }

    /// The line for a station that has only a table; empty for any other station.
    static func lines(on keys: KeyRing) -> [String] {
        keys.isTable
            ? [
                "This station has only a table of card keys for \(keys.cardCount), not the "
                    + "issuer's keys"
            ] : []
    }
}
