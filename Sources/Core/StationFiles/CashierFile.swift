package import CardCryptography
package import OperatingSystem
package import TapcardCore
package import TapcardDomain
import TextCodecs

/// A person who may log in to a till page, with the hash of their password.
package struct Cashier: Hashable, Sendable {
    package let name: CashierName
    package let password: PasswordHash

    package init(_ name: CashierName, _ password: PasswordHash) {
        (self.name, self.password) = (name, password)
    }
}

/// The file that lists the till page's cashiers. The file is rejected if anyone but its owner can
/// access it.
package struct CashierFile: Sendable {
    /// The maximum number of cashiers in the file, far more than one till needs.
    package static let maximumCashiers = 200
    /// The maximum length of a password, in bytes.
    package static let maximumPasswordBytes = 1_024

    private static let format = "tapcard cashiers 1"

    private let file: PrivateFile
    package var path: String { file.path }

    package init(path: String) {
        file = PrivateFile(
            path: path, secret: .cashiers, kind: .fileUnusable, name: "The cashier file",
            meaning: "No cashier can log in until this is fixed.",
            unchanged: "The file is unchanged, and its cashiers can log in as before.")
    }

    /// A value that differs whenever the file or its permissions may have changed.
    package typealias Stamp = DurableFile.Stamp

    /// The file's current stamp; nil if the file is missing.
    package func stamp() throws(TapcardError) -> Stamp? {
        try translating(DurableFile(path).stamp(), into: file.unreadable)
    }

    /// The cashiers in the file; empty if the file is missing.
    package func load() throws(TapcardError) -> [Cashier] {
        try file.requirePrivate()
        let found = try translating(
            DurableFile(path).read(limit: JSONValue.sizeLimit), into: file.unreadable)
        // Before the first cashier is added, there is no file.
        guard let bytes = found else { return [] }
        guard let document = try? JSONValue.parsing(bytes),
            document["format"]?.string == CashierFile.format,
            let entries = document["cashiers"]?.array, entries.count <= CashierFile.maximumCashiers
        else { throw damaged }
        var cashiers: [Cashier] = []
        for entry in entries {
            // With two entries for one name, either password could be the right one.
            guard let cashier = Cashier(entry),
                !cashiers.contains(where: { $0.name == cashier.name })
            else { throw damaged }
            cashiers.append(cashier)
        }
        return cashiers
    }

    /// Adds a cashier, or sets a new password for an existing one; differences in case and spacing
    /// are ignored. Returns the stored name, and whether the cashier is new.
    package func add(
        _ cashier: Cashier
    ) throws(TapcardError) -> (name: CashierName, isNew: Bool) {
        try change { cashiers throws(TapcardError) in
            if let known = cashiers.named(cashier.name) {
                cashiers.removeAll { $0 == known }
                // The stored spelling is kept, because earlier operations were recorded with it.
                cashiers.insertSorted(Cashier(known.name, cashier.password))
                return (known.name, false)
            }
            // If two names looked alike, one cashier's work could be attributed to the other.
            if let other = cashiers.first(where: { $0.name.looksLike(cashier.name) }) {
                throw TapcardError(
                    .refusal(.badName),
                    "The name \(cashier.name.text.debugDescription) is too easy to confuse with "
                        + "\(other.name.text.debugDescription).",
                    meaning: "Nothing was changed.", next: [.file(.chooseOtherName)])
            }
            guard cashiers.count < CashierFile.maximumCashiers else {
                throw file.refusal(
                    "The limit of \(CashierFile.maximumCashiers) cashiers has been "
                        + "reached.", .removeCashier,
                    meaning: file.unchanged)
            }
            cashiers.insertSorted(cashier)
            return (cashier.name, true)
        }
    }

    /// Replaces a cashier's hash. Returns false if the entry has changed since it was read.
    package func replace(_ old: Cashier, with new: Cashier) throws(TapcardError) -> Bool {
        try change { cashiers in
            // Another process may have set a new password or removed the cashier.
            guard let index = cashiers.firstIndex(of: old) else { return false }
            cashiers[index] = new
            return true
        }
    }

    /// Removes a cashier and returns the stored name; nil for an unknown name. Differences in case
    /// and spacing are ignored, as in `add`.
    package func remove(_ name: CashierName) throws(TapcardError) -> CashierName? {
        try change { cashiers in
            let known = cashiers.named(name)
            cashiers.removeAll { $0 == known }
            return known?.name
        }
    }

    private func change<Success>(
        _ body: (inout [Cashier]) throws(TapcardError) -> Success
    ) throws(TapcardError) -> Success {
        try file.withExclusiveLock { () throws(TapcardError) in
            let old = try load()
            var cashiers = old
            let result = try body(&cashiers)
            // An unnecessary write would change the stamp and make a running server reread the
            // file.
            if cashiers != old { try save(cashiers) }
            return result
        }
    }

    private func save(_ cashiers: [Cashier]) throws(TapcardError) {
        let document: JSONValue = [
            "format": .string(CashierFile.format),
            "cashiers": .array(cashiers.map(\.document)),
        ]
        try file.write(document.prettyText)
    }

    private var damaged: TapcardError {
        file.refusal(
            "\(file.named) is damaged or from a newer version of "
                + "tapcard.", .useNewerVersion(.cashiers))
    }
}

extension [Cashier] {
    /// The cashier with exactly this name; if there is none, the one whose name differs only in
    /// case and spaces.
    package func named(_ name: CashierName) -> Cashier? {
        first { $0.name == name } ?? first { $0.name.spelling == name.spelling }
    }

    fileprivate mutating func insertSorted(_ cashier: Cashier) {
        insert(cashier, at: firstIndex { $0.name.text > cashier.name.text } ?? endIndex)
    }
}

extension Cashier {
    fileprivate var document: JSONValue {
        [
            "name": .string(name.text),
            "scrypt": [
                "rounds": .number(String(password.cost.rounds)),
                "blockSize": .number(String(password.cost.blockSize)),
                "lanes": .number(String(password.cost.lanes)),
            ],
            "salt": .string(Hexadecimal.encode(password.salt)),
            "hash": .string(Hexadecimal.encode(password.bytes)),
        ]
    }

    fileprivate init?(_ document: JSONValue) {
        func number(_ name: String) -> UInt64? {
            document["scrypt"]?[name]?.numberText.flatMap { UInt64($0) }
        }
        guard let text = document["name"]?.string, let name = try? CashierName(text),
            let rounds = number("rounds"), let blockSize = number("blockSize"),
            let lanes = number("lanes"),
            let cost = PasswordHash.Cost(rounds: rounds, blockSize: blockSize, lanes: lanes),
            let salt = document["salt"]?.string.flatMap(Hexadecimal.decode),
            let bytes = document["hash"]?.string.flatMap(Hexadecimal.decode),
            salt.count == PasswordHash.saltSize, bytes.count == PasswordHash.size
        else { return nil }
        self.init(name, PasswordHash(cost: cost, salt: salt, bytes: bytes))
    }
}
