package import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs

/// The value of `--expires`.
private enum Expiry: Sendable {
    case days(Int64)
    /// The end of this day.
    case day(CalendarDate)

    /// Ten years.
    static let maximumDays: Int64 = 3_650

    init?(_ text: String) {
        if let day = CalendarDate(text) {
            self = .day(day)
        } else if text.hasSuffix("d"), let days = Int64(text.dropLast()),
            (1...Expiry.maximumDays).contains(days), "\(days)d" == text
        {
            self = .days(days)
        } else {
            return nil
        }
    }

    func time(from now: Timestamp) -> Timestamp {
        switch self {
        case .days(let days): Timestamp(milliseconds: now.milliseconds + days * 86_400_000)
        case .day(let day): LocalTime.end(of: day)
        }
    }
}

extension Parameter<String> {
    fileprivate static func token(completes known: CompletedValue? = nil) -> Self {
        .argument(
            "NAME",
            .parsed(
                by: { StationName($0)?.text },
                "a valid token name (up to \(StationName.maximumLength) characters: a-z, 0-9, -, "
                    + "and _, starting with a letter)", meaning: TokenCommands.unchanged),
            "Name for the token, up to \(StationName.maximumLength) characters", completes: known,
            page: .never)
    }
}

extension Parameter<APIToken.Right?> {
    fileprivate static var may: Self {
        .option(
            "may", "RIGHT", .choice(APIToken.Right.self),
            "Access (required): watch (receive taps), tags (also read and write tags), or display",
            page: .never)
    }
}

extension Parameter<[WebOrigin]> {
    fileprivate static var origins: Self {
        .options(
            "origin", "ORIGIN", .origin(orSay: TokenCommands.unchanged),
            "Origin of a web page that may use the token; omit for programs")
    }
}

extension Parameter<Expiry?> {
    fileprivate static var expires: Self {
        .option(
            "expires", "TIME",
            .parsed(
                by: Expiry.init, "a number of days (such as 90d) or a date (such as 2026-11-22)",
                meaning: TokenCommands.unchanged),
            "When the token expires: days such as 90d, or its last day as YYYY-MM-DD")
    }
}

extension Command {
    static let tokenCommands: [Command] = [
        Command(
            "tokens add", group: .station,
            "Create a token for a program, a web page, or a customer's display",
            discussion: "The token is shown only once, so save it. Programs can use it on this "
                + "machine or over TLS. For a web page, give its origin with `--origin` here and "
                + "with `--allow-origin` for `tapcard serve`. With `--reader`, the token works "
                + "only at the till with that reader. For a customer's display, add a `display` "
                + "token to the display's address after `#`; such a token allows nothing else. No "
                + "token allows payments, top-ups, or other changes to cards. Without `--expires`, "
                + "the token never expires.",
            takes: .token(), .may, .origins, .expires, answers: .addedToken,
            example: "tapcard tokens add shelf --may tags --expires 90d", run: TokenCommands.add),
        Command(
            "tokens revoke", group: .station, "Revoke an API token",
            discussion: "Running servers reject the token immediately and close its streams.",
            takes: .token(completes: .tokens), answers: .revokedToken,
            example: "tapcard tokens revoke shelf", run: TokenCommands.revoke),
        Command(
            "tokens list", group: .station, "List the API tokens",
            answers: .tokens, example: "tapcard tokens list", run: TokenCommands.list),
    ]
}

extension Settings {
    package var tokenFile: TokenFile { TokenFile(path: dataFolder + "/tokens.json") }
}

enum TokenCommands {
    fileprivate static let unchanged = "Nothing was changed."

    static func add(in session: Session) async throws(TapcardError) -> Report {
        guard let right = session[.may] else {
            throw TapcardError(
                .usage, "The option --may is missing.", meaning: unchanged,
                advice: "Add --may watch, --may tags, or --may display.")
        }
        let now = session.dependencies.now()
        let expires = session[.expires]?.time(from: now)
        let last = Timestamp(milliseconds: now.milliseconds + Expiry.maximumDays * 86_400_000)
        guard expires.map({ $0 > now && $0 <= last }) ?? true else {
            throw TapcardError(
                .usage,
                "The expiry date is in the past or more than \(Expiry.maximumDays) days away.",
                meaning: unchanged)
        }
        let text = APIToken.text(session.dependencies.random(APIToken.secretBytes))
        let (reader, origin) = session.settings.effective(.reader)
        let token = APIToken(
            session[.token()], right, text: text, origins: session[.origins],
            reader: origin == .flag ? reader : nil, expires: expires, added: now)
        try session.places.makeDataFolder()
        try session.settings.tokenFile.add(token)
        return Report(
            ["token": .string(text)] + token.members,
            ["Token \(token.name), shown only this once:", text], isChange: true)
    }

    static func revoke(in session: Session) async throws(TapcardError) -> Report {
        let name = session[.token()]
        guard try session.settings.tokenFile.revoke(name) else {
            throw TapcardError(
                .refusal(.wrongState), "There is no token named \(name).", meaning: unchanged,
                advice: "To list the names, run: tapcard tokens list")
        }
        return Report(["name": .string(name)], ["Token \(name) is revoked"], isChange: true)
    }

    static func list(in session: Session) async throws(TapcardError) -> Report {
        let tokens = try session.settings.tokenFile.load()
        let now = session.dependencies.now()
        return Report(
            ["tokens": tokens.document],
            tokens.isEmpty ? ["No tokens"] : tokens.map { $0.line(at: now) }, isPlain: true)
    }
}

extension APIToken {
    /// The token's line in the list: name, right, origins, reader, and expiry.
    fileprivate func line(at now: Timestamp) -> String {
        let places =
            origins.isEmpty ? "programs" : origins.map(\.description).joined(separator: " ")
        let end = expires.map { time in
            (isExpired(at: now) ? "expired " : "expires ") + LocalTime.text(time)
        }
        let parts = ["may \(right.rawValue)", places, reader.map { "reader \($0)" }, end]
        return "\(name): " + parts.compactMap(\.self).joined(separator: ", ")
    }
}

extension APIToken.Right: DocumentedWord {}
extension WebOrigin: DocumentedText {}

extension APIToken: DocumentedObject {
    static let fields: Fields<APIToken> = [
        "name": .of(\.name), "may": .of(\.right), "origins": .of(\.origins),
        "reader": .of(\.reader), "expires": .of(\.expires), "added": .of(\.added),
    ]
}
