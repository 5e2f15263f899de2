package import CardCryptography
package import OperatingSystem
package import TapcardCore
package import TapcardDomain
import TextCodecs

/// A person who may log in to a till page, with their role and the hash of their password.
package struct Cashier: Hashable, Sendable {
    package let name: CashierName
    package let password: PasswordHash
    package let role: CashierRole

    package init(_ name: CashierName, _ password: PasswordHash, _ role: CashierRole) {
        (self.name, self.password, self.role) = (name, password, role)
    }

    /// Whether this is still the same login, although the role may have changed.
    package func hasSameLogin(as other: Cashier) -> Bool {
        name == other.name && password == other.password
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
    /// are ignored. Without a role, an existing cashier keeps theirs, the first cashier becomes an
    /// owner, and all others become cashiers. Returns the stored entry, and whether it is new.
    package func add(
        _ name: CashierName, _ password: PasswordHash, _ role: CashierRole? = nil
    ) throws(TapcardError) -> (cashier: Cashier, isNew: Bool) {
        try change { cashiers throws(TapcardError) in
            if let known = cashiers.named(name) {
                cashiers.removeAll { $0 == known }
                // The stored spelling is kept, because earlier operations were recorded with it.
                let changed = Cashier(known.name, password, role ?? known.role)
                cashiers.insertSorted(changed)
                return (changed, false)
            }
            let cashier = Cashier(name, password, role ?? (cashiers.isEmpty ? .owner : .cashier))
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
            return (cashier, true)
        }
    }

    /// Replaces a cashier's hash. Returns the stored entry; nil if the password has changed since
    /// the entry was read.
    package func replace(
        _ old: Cashier, with password: PasswordHash
    ) throws(TapcardError) -> Cashier? {
        try list.change { cashiers in
            // Another process may have set a new password or removed the cashier.
            guard let index = cashiers.firstIndex(where: old.hasSameLogin) else { return nil }
            cashiers[index] = Cashier(old.name, password, cashiers[index].role)
            return cashiers[index]
        }
    }

    /// Changes a cashier's role. Returns the stored entry; nil for an unknown name.
    package func setRole(
        of name: CashierName, to role: CashierRole
    ) throws(TapcardError) -> Cashier? {
        try change { cashiers in
            guard let known = cashiers.named(name),
                let index = cashiers.firstIndex(of: known)
            else { return nil }
            cashiers[index] = Cashier(known.name, known.password, role)
            return cashiers[index]
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

    /// Changes the list, unless that would leave cashiers but no owner. A list without an owner
    /// from an earlier version can still be changed.
    private func change<Result>(
        _ body: (inout [Cashier]) throws(TapcardError) -> Result
    ) throws(TapcardError) -> Result {
        try list.change { cashiers throws(TapcardError) in
            let before = cashiers
            let result = try body(&cashiers)
            if cashiers.isEmpty || cashiers.contains(where: { $0.role == .owner }) { return result }
            if let owner = before.first(where: { $0.role == .owner }) {
                throw TapcardError(
                    .refusal(.wrongState), "\(owner.name.text) is the only owner.",
                    meaning: "Nothing was changed.", next: [.file(.makeOwner)])
            }
            if before.isEmpty {
                throw TapcardError(
                    .refusal(.wrongState), "The first cashier has to be an owner.",
                    meaning: "Nothing was changed.")
            }
            return result
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
            "name": .string(name.text), "role": .string(role.rawValue),
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
        // Until cashiers had roles, each of them could do everything.
        let roleText = document["role"] ?? .string(CashierRole.owner.rawValue)
        guard let role = roleText.string.flatMap(CashierRole.init(rawValue:)),
            let text = document["name"]?.string, let name = try? CashierName(text),
            let rounds = number("rounds"), let blockSize = number("blockSize"),
            let lanes = number("lanes"),
            let cost = PasswordHash.Cost(rounds: rounds, blockSize: blockSize, lanes: lanes),
            let salt = document["salt"]?.string.flatMap(Hexadecimal.decode),
            let bytes = document["hash"]?.string.flatMap(Hexadecimal.decode),
            salt.count == PasswordHash.saltSize, bytes.count == PasswordHash.size
        else { return nil }
        self.init(name, PasswordHash(cost: cost, salt: salt, bytes: bytes), role)
    }
}
