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
package struct CashierFile: ListFile, Sendable {
    /// The maximum number of cashiers in the file, far more than one till needs.
    package static let maximumCashiers = 200
    /// The maximum length of a password, in bytes.
    package static let maximumPasswordBytes = 1_024

    private let list: PrivateList<Cashier>
    package var path: String { list.file.path }

    package init(path: String) {
        list = PrivateList(
            file: PrivateFile(
                path: path, secret: .cashiers, kind: .fileUnusable, name: "The cashier file",
                meaning: "No cashier can log in until this is fixed.",
                unchanged: "The file is unchanged, and its cashiers can log in as before."),
            what: "cashiers", maximumCount: CashierFile.maximumCashiers)
    }

    package func stamp() throws(TapcardError) -> DurableFile.Stamp? { try list.stamp() }
    package func load() throws(TapcardError) -> [Cashier] { try list.load() }

    /// Adds a cashier, or sets a new password for an existing one; differences in case and spacing
    /// are ignored. Returns the stored name, and whether the cashier is new.
    package func add(
        _ cashier: Cashier
    ) throws(TapcardError) -> (name: CashierName, isNew: Bool) {
        try list.change { cashiers throws(TapcardError) in
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
                throw list.file.refusal(
                    "The limit of \(CashierFile.maximumCashiers) cashiers has been "
                        + "reached.", .removeCashier,
                    meaning: list.file.unchanged)
            }
            cashiers.insertSorted(cashier)
            return (cashier.name, true)
        }
    }

    /// Replaces a cashier's hash. Returns false if the entry has changed since it was read.
    package func replace(_ old: Cashier, with new: Cashier) throws(TapcardError) -> Bool {
        try list.change { cashiers in
            // Another process may have set a new password or removed the cashier.
            guard let index = cashiers.firstIndex(of: old) else { return false }
            cashiers[index] = new
            return true
        }
    }

    /// Removes a cashier and returns the stored name; nil for an unknown name. Differences in case
    /// and spacing are ignored, as in `add`.
    package func remove(_ name: CashierName) throws(TapcardError) -> CashierName? {
        try list.change { cashiers in
            let known = cashiers.named(name)
            cashiers.removeAll { $0 == known }
            return known?.name
        }
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

extension Cashier: PrivateEntry {
    var document: JSONValue {
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

    init?(_ document: JSONValue) {
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
