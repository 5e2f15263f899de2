import CardCryptography
package import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs

extension Parameter<CashierName> {
    fileprivate static func cashier(completes known: CompletedValue? = nil) -> Self {
        .argument(
            "NAME", .cashier, "Cashier's name, up to \(CashierName.maximumLength) characters",
            completes: known)
    }
}

extension Parameter<CashierRole?> {
    fileprivate static var role: Self {
        .option(
            "role", "ROLE", .choice(CashierRole.self),
            "seller, cashier, or owner (default: owner for the first one, then cashier)",
            page: .never)
    }
}

extension Parameter<CashierRole> {
    fileprivate static var newRole: Self {
        .argument("ROLE", .choice(CashierRole.self), "seller, cashier, or owner", page: .never)
    }
}

extension Command {
    static let cashierCommands: [Command] = [
        Command(
            "cashiers add", group: .station, "Add a cashier or change a cashier's password",
            discussion: "Once there is a cashier, the till page requires a login, and the ledger "
                + "records which cashier made each operation. The password is read from "
                + "`TAPCARD_CASHIER_PASSWORD` or typed at a prompt. It needs at least 10 "
                + "characters and, not counting the name and common words, at least 5 different "
                + "ones. Changing a password ends every login made with the old one; without "
                + "`--role`, the role stays the same.\n\nA seller takes payments, and can undo "
                + "their own for 5 minutes. A cashier can also top up and issue cards, open and "
                + "close shifts, and refund or pay out up to `cashier-refund-limit` at a time. An "
                + "owner can do everything.",
            takes: .cashier(), .role, answers: .addedCashier, example: "tapcard cashiers add Ann",
            run: CashierCommands.add),
        Command(
            "cashiers role", group: .station, "Change a cashier's role",
            discussion: "Running servers apply the new role immediately, without a new login.",
            takes: .cashier(completes: .cashiers), .newRole, answers: .changedRole,
            example: "tapcard cashiers role Ann seller", run: CashierCommands.setRole),
        Command(
            "cashiers remove", group: .station, "Remove a cashier",
            discussion: "The cashier is logged out everywhere; past operations keep the name. The "
                + "only owner cannot be removed while there are other cashiers. After the last "
                + "cashier is removed, nobody can log in to a running server; a server started "
                + "later on 127.0.0.1 does not require a login.",
            takes: .cashier(completes: .cashiers), answers: .removedCashier,
            example: "tapcard cashiers remove Ann", run: CashierCommands.remove),
        Command(
            "cashiers list", group: .station, "List the cashiers and their roles",
            answers: .cashiers, example: "tapcard cashiers list", run: CashierCommands.list),
    ]
}

extension Settings {
    package var cashierFile: CashierFile { CashierFile(path: dataFolder + "/cashiers.json") }
}

enum CashierCommands {
    static func list(in session: Session) async throws(TapcardError) -> Report {
        let cashiers = try session.settings.cashierFile.load()
        return Report(
            [
                "cashiers": .array(cashiers.map { .string($0.name.text) }),
                "roles": .array(cashiers.map { .string($0.role.rawValue) }),
            ],
            cashiers.isEmpty
                ? ["No cashiers; a till page started now on this machine needs no login"]
                : cashiers.map { "\($0.name.text): \($0.role.rawValue)" },
            isPlain: true)
    }

    static func add(in session: Session) async throws(TapcardError) -> Report {
        let name = session[.cashier()]
        try session.places.makeDataFolder()
        // An unusable file is reported before the user types the password.
        _ = try session.settings.cashierFile.load()
        let password = try await newPassword(of: name, in: session)
        let (stored, isNew) = try session.settings.cashierFile.add(
            name, PasswordHash(password, salt: session.dependencies.random(PasswordHash.saltSize)),
            session[.role])
        return Report(
            stored.members + ["isNew": .bool(isNew)],
            [
                isNew
                    ? "\(stored.name.text) can now log in on the till page as \(stored.role.noun)"
                    : "\(stored.name.text) now has a new password and is \(stored.role.noun)"
            ], isChange: true)
    }

    static func setRole(in session: Session) async throws(TapcardError) -> Report {
        let (name, role) = (session[.cashier()], session[.newRole])
        guard let changed = try session.settings.cashierFile.setRole(of: name, to: role) else {
            throw unknown(name)
        }
        return Report(
            changed.members, ["\(changed.name.text) is now \(role.noun)"], isChange: true)
    }

    private static func unknown(_ name: CashierName) -> TapcardError {
        TapcardError(
            .refusal(.wrongState), "There is no cashier named \(name.text.debugDescription).",
            meaning: "Nothing was changed.",
            advice: "To list the names, run: tapcard cashiers list")
    }

    static func remove(in session: Session) async throws(TapcardError) -> Report {
        let name = session[.cashier()]
        guard let removed = try session.settings.cashierFile.remove(name) else {
            throw unknown(name)
        }
        return Report(
            ["cashier": .string(removed.text)],
            ["\(removed.text) can no longer log in"], isChange: true)
    }

    /// The new password, from the environment or typed twice.
    private static func newPassword(
        of name: CashierName, in session: Session
    ) async throws(TapcardError) -> String {
        let password: String
        if let given = try session.settings.cashierPassword {
            password = given
        } else {
            password = try await typed("Password for \(name.text.shown): ", on: session.console)
            // A password that is too weak is refused before the user types it a second time.
            try require(password, of: name)
            guard try await typed("Repeat the password: ", on: session.console) == password else {
                throw TapcardError(
                    .usage, "The two entries do not match.", meaning: "Nothing was changed.",
                    advice: "Try again.")
            }
        }
        try require(password, of: name)
        return password
    }

    /// Prompts for a password with hidden input.
    private static func typed(
        _ question: String, on console: Console
    ) async throws(TapcardError) -> String {
        guard let promptHidden = console.promptHidden else {
            throw .missing(
                "password", Settings.cashierPasswordVariable, meaning: "Nothing was changed.")
        }
        if let typed = await promptHidden(question) { return typed }
        // Nil means that the user canceled the prompt.
        throw TapcardError(.cancelled, "Canceled.", meaning: "Nothing was changed.")
    }

    private static func require(_ password: String, of name: CashierName) throws(TapcardError) {
        guard password.utf8.count <= CashierFile.maximumPasswordBytes else {
            throw TapcardError(
                .usage,
                "A password can be at most \(CashierFile.maximumPasswordBytes) bytes long.",
                meaning: "Nothing was changed.")
        }
        if let objection = PasswordStrength.objection(to: password, of: name) {
            throw TapcardError(.usage, objection, meaning: "Nothing was changed.")
        }
    }
}

extension TapcardError {
    /// The error for a command that was given no password and has no terminal in which to prompt
    /// for one.
    static func missing(_ secret: String, _ variable: String, meaning: String) -> TapcardError {
        TapcardError(
            .usage, "No \(secret) was given, and there is no terminal to prompt for it.",
            meaning: meaning,
            advice: "Set \(variable), or run the command in a terminal.")
    }
}

extension CashierRole {
    /// The role with its article.
    package var noun: String { self == .owner ? "an owner" : "a \(rawValue)" }
}

extension CashierRole: DocumentedWord {}

extension Cashier {
    fileprivate var members: Members {
        ["cashier": .string(name.text), "role": .string(role.rawValue)]
    }
}
