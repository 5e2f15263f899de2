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
            + "sell tickets and close NTAG 424 cards, but cannot top up, refund a payment, add a "
            + "prize or issue cards. Import the file there with `tapcard keys import`, and carry "
            + "the passphrase, which is printed once, separately. Create a new table after issuing "
            + "cards and after rotating or retiring keys.",
        takes: .newFile, answers: .cardTable, example: "tapcard keys table till-2.json",
        run: CardTableCommand.write)
}

extension KeyRing {
    /// The number of cards of a table, in words.
    var cardCount: String { tableSize == 1 ? "1 card" : "\(tableSize) cards" }
}

enum CardTableCommand {
    static func write(in session: Session) async throws(TapcardError) -> Report {
        let file = NamedFile(try session[.newFile])
        try file.requireOutput("The table", session.manner)
        try session.keyFile.requireMasters()
        try file.requireNew()
        let table = try await makeTable(in: session)
        let passphrase = TablePassphrase(
            random: session.surroundings.random(TablePassphrase.randomByteCount))
        let sealed = SealedTable(table.keys, with: passphrase).json().prettyText
        if file.isStream {
            session.output.write(sealed)
            session.say("tapcard: the passphrase of the table is \(passphrase.text)\n")
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
                "The keys of \(table.keys.cardCount) are in \(file.path)",
                "Its passphrase, which is shown only now: \(passphrase.text)",
                "At the station: tapcard keys import FILE. Bring the passphrase another way",
            ]
                + (lacking.isEmpty
                    ? []
                    : [
                        "Cards need a key that this station does not have: \(lacking). Bring it "
                            + "with tapcard keys import"
                    ]),
            isChange: true)
    }

    private static func makeTable(in session: Session) async throws(TapcardError) -> CardTable {
        let ledger = try await session.ledger()
        let all = try await session.keys()
        try await session.requireCommonKeys(all, ledger)
        let issuer = try await LedgerAccess(session).issuerKeys()
        let ordered = all.ordered(by: issuer)
        let made = try await LedgerAccess.asking { () throws(LedgerError) -> CardTable? in
            guard let ring = ordered.retiring(try await ledger.retiredKeys()) else { return nil }
            return try await CardTable(ring, next: issuer?.next, of: ledger)
        }
        guard let made else {
            throw TapcardError(
                .keysUnusable,
                "Key \(ordered.sealing.id), with which this station seals records, was given up.",
                meaning: "No file was written.", next: [.file(.renewKeys)])
        }
        guard made.cards > 0 else {
            throw TapcardError(
                .refusal(.wrongState), "No card of this ledger is on an NTAG 424.",
                meaning: "No file was written.", advice: "A table is for such cards alone.")
        }
        return made
    }

    /// The table in a sealed file, by its passphrase.
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
                "That is not a passphrase of a table: one has \(TablePassphrase.randomByteCount) "
                    + "letters and digits.", meaning: KeyRotation.unchanged)
        }
        do throws(KeyError) {
            return try table.open(with: passphrase)
        } catch {
            throw TapcardError(
                .fileUnusable, "\(path) cannot be opened: \(error.detail).",
                meaning: KeyRotation.unchanged,
                advice: "Try again, or have another table made: tapcard keys table FILE")
        }
    }
}

extension KeyFile {
    /// Whether this station has the keys that load and make cards, and not a table of card keys.
    /// One without keys gets its own.
    package var loadsCards: Bool { (try? load())?.isTable != true }

    /// Refuses a station that has a table of card keys, and not the keys of the issuer.
    func requireMasters() throws(TapcardError) {
        guard try load()?.isTable != true else {
            throw TapcardError(
                .refusal(.wrongState),
                "This station has a table of card keys, and not the keys of the issuer.",
                meaning: "Nothing was done.", next: [.trust(.useAtIssuerStation)])
        }
    }

    /// The finding about a station without the keys of the issuer; none where it has them, or none
    /// at all.
    var tableFindings: [Finding] {
        // A key file that cannot be read is reported by what needs it.
        guard let keys = try? load(), keys.isTable else { return [] }
        let others = keys.entries.filter { $0.id != keys.sealing.id }.map { "\($0.id)" }
        let generations =
            "key \(keys.sealing.id), which seals"
            + (others.isEmpty ? "" : ", and of key \(others.joined(separator: ", "))")
        return [
            Finding(
                .cardTable, .note,
                "This station has a table of the keys of \(keys.cardCount), of \(generations); it "
                    + "has not the keys of the issuer.",
                remedy: [
                    .say(
                        "It reads these cards and takes their payments. It puts no money on a card, "
                            + "makes none, gives none other keys, and takes no NTAG21x."),
                    .say("After new cards or new keys, where the keys of the issuer are:"),
                    .run("tapcard keys table FILE"), .say("Here:"),
                    .run("tapcard keys import FILE"),
                ])
        ]
    }
}

extension Report {
    /// The number of cards of a table; nothing for masters.
    static func table(of keys: KeyRing) -> Members {
        keys.isTable ? ["table": .number(keys.tableSize)] : [:]
    }

    /// The line that says that a station has a table.
    static func lines(on keys: KeyRing) -> [String] {
        keys.isTable
            ? [
                "This station has a table of the keys of \(keys.cardCount), and not the keys of the "
                    + "issuer"
            ] : []
    }
}
