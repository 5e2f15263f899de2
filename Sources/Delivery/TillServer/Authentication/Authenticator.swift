import BlockingLane
import CardCryptography
import OperatingSystem
import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs
import WebServer

/// Decides who may use the till: if the station has cashiers, only a cashier who is logged in;
/// otherwise, any page from this origin.
final class Authenticator: Sendable {
    /// The name of the session cookie. Over TLS, it has the prefix `__Host-`, so that browsers
    /// accept it only from this host. Each till on another machine has its own cookie, so that a
    /// browser can log in at several.
    var cookieName: String {
        (isProtected ? "__Host-" : "") + "tapcard-session"
            + (TillPath.remoteNumber.map { "-\($0)" } ?? "")
    }
    private static let maximumPasswordSize = CashierFile.maximumPasswordBytes

    private let runner: TillRunner
    private let sessions: TillSessions
    /// The sessions in the ledger, for tills on other machines.
    private let stored: StoredSessions
    private let passwords = PasswordChecker()
    private let turns = LoginTurns()
    private let limits = Guarded(LoginLimits())
    private let tokens: TokenCheck
    /// What each role may do.
    let roles: RoleCheck
    /// Whether a login has ever been required. If so, it stays required, because removing the last
    /// cashier must not open the till to everyone.
    private let hasRequiredLogin: Guarded<Bool>
    private let isProtected: Bool
    /// Whether only programs on this machine can connect.
    let isLoopback: Bool
    private let log: TillLog

    /// `isProtected` means that the server uses TLS, so others cannot read the traffic.
    init(
        _ runner: TillRunner, mustLogIn: Bool, isProtected: Bool, isLoopback: Bool, log: TillLog
    ) {
        (self.runner, self.log) = (runner, log)
        (self.isProtected, self.isLoopback) = (isProtected, isLoopback)
        tokens = TokenCheck(runner, isProtected: isProtected, log: log)
        roles = RoleCheck(
            runner: runner,
            consents: Consents { cashier throws(Problem) in
                try Authenticator.cashiers(of: runner).first(where: cashier.hasSameLogin)
            })
        sessions = TillSessions { SystemClock.millisecondsSinceBoot }
        stored = StoredSessions(runner, sessions, log)
        hasRequiredLogin = Guarded(mustLogIn)
    }

    func needsLogin() throws(Problem) -> Bool {
        let hasCashiers = try !cashiers().isEmpty
        return hasRequiredLogin.withLock { hasRequiredLogin in
            hasRequiredLogin = hasRequiredLogin || hasCashiers
            return hasRequiredLogin
        }
    }

    /// Opens a session, which requires a login if the station has cashiers.
    func open(
        _ members: [JSONMember], _ request: WebRequest
    ) async throws(Problem) -> (session: TillSessions.Session, secrets: TillSessions.Secrets) {
        for member in members where !["cashier", "password"].contains(member.key) {
            throw Problem(.usage, "The member \(member.key.quotation) is unknown.")
        }
        func text(_ key: String) throws(Problem) -> String? {
            guard let value = members.first(where: { $0.key == key })?.value, value != .null
            else { return nil }
            guard let text = value.string else {
                throw Problem(.usage, "\(key.debugDescription) must be a string.")
            }
            return text
        }
        let (name, password) = (try text("cashier"), try text("password"))
        let till = TillPath.remoteNumber
        guard try needsLogin() else { return sessions.open(nil, at: till) }
        guard let name, let password else { throw .loginNeeded }
        let opened = sessions.open(try await cashier(name, password, request), at: till)
        await stored.record(opened.session)
        return opened
    }

    func close(_ session: TillSessions.Session) async {
        sessions.close(session)
        await stored.end(session)
    }

    /// Forgets all sessions that were opened at this till. They may still be in the ledger.
    func closeSessions(at till: Int) { sessions.close(at: till) }

    /// Adds the sessions that the ledger has for a till on another machine, which may have been
    /// opened at another server. Returns the problem if the ledger is offline.
    func loadSessions(at till: Int) async -> Problem? {
        guard let cashiers = try? cashiers() else { return nil }
        return await stored.load(at: till, among: cashiers)
    }

    /// Whether this request has a session that only the ledger may know.
    func mayHaveStoredSession(_ request: WebRequest) -> Bool {
        if let token = request.bearerToken {
            return request.apiToken == nil
                && sessions.session(token: token, isUsed: false) == nil
        }
        return !cookies(of: request).isEmpty && cookieSession(of: request, isUse: false) == nil
    }

    /// Returns the session of a client that wants to change something. Throws if the client has no
    /// valid token.
    func requireToken(
        _ request: WebRequest, isUse: Bool = true
    ) throws(Problem) -> TillSessions.Session {
        // The cookie is not enough, because browsers also send it to other servers on this host.
        guard let token = request.bearerToken else {
            if try needsLogin() { throw .loginNeeded }
            throw .tokenMissing
        }
        guard let session = sessions.session(token: token, isUsed: isUse),
            try caller(in: session) != nil
        else { throw .staleToken }
        if isUse { stored.noteUse(of: session) }
        return session
    }

    /// Whether the request has a valid session. If so, its response may mention files and devices.
    func knows(_ request: WebRequest) -> Bool {
        let named = request.bearerToken.flatMap { sessions.session(token: $0) }
        guard let session = named ?? cookieSession(of: request, isUse: true) else { return false }
        return (try? caller(in: session)) != nil
    }

    /// Returns the sender of a request. Throws if a required login is missing. Only requests with
    /// `isUse` keep the session alive.
    func caller(of request: WebRequest, isUse: Bool = true) throws(Problem) -> Caller {
        // Metrics need no login here, because a monitoring program has no session, and only
        // programs on this machine can connect.
        if request.path == "/metrics", isLoopback, TillPath.remoteNumber == nil {
            return Caller(session: nil, cashier: nil)
        }
        // A display on this machine shows only what customers may see.
        if SharedCall(path: request.path) == .display, request.isFromMachine {
            return Caller(session: nil, cashier: nil)
        }
        // A client that sends a token expects it to be checked, even if none is needed.
        if request.hasAuthorization {
            let session = try requireToken(request, isUse: isUse)
            guard let caller = try caller(in: session) else { throw .staleToken }
            return caller
        }
        guard try needsLogin() else { return Caller(session: nil, cashier: nil) }
        guard let session = cookieSession(of: request, isUse: isUse),
            let caller = try caller(in: session)
        else { throw .loginNeeded }
        return caller
    }

    /// Records that another person, with a higher role, consents to one call of the sender. Their
    /// password counts toward the same limits as a login.
    func consent(_ members: [JSONMember], _ request: WebRequest) async throws(Problem) {
        let session = try requireToken(request)
        let names = ["cashier", "password", "call", "subject"]
        for member in members where !names.contains(member.key) {
            throw Problem(.usage, "The member \(member.key.quotation) is unknown.")
        }
        let texts = names.map { name in members.first { $0.key == name }?.value.string ?? "" }
        guard texts.allSatisfy({ !$0.isEmpty }) else {
            throw Problem(.usage, "The members \(names.joined(separator: ", ")) must be strings.")
        }
        guard Consents.subjects[texts[2]] != nil else {
            throw Problem(.usage, "There is no consent for \(texts[2].quotation).")
        }
        guard let caller = try caller(in: session)?.cashier else { return }
        let supervisor = try await translating(
            awaiting: await cashier(texts[0], texts[1], request),
            into: { (problem: Problem) in problem.withMeaning("Nothing was done.") })
        guard supervisor.role > caller.role else {
            throw .roleNeeded(caller.role == .seller ? .cashier : .owner)
        }
        log.say("consent", ["call": .string(texts[2])])
        roles.consents.give(supervisor, to: session, for: texts[2], texts[3])
    }

    /// Authorizes a call that changes something. Only shared calls accept API tokens. Returns the
    /// cashier who is logged in and the second person who consented, if there are any.
    func requireSender(
        of request: WebRequest, for call: TillCall, at till: TillRunner
    ) throws(Problem) -> Requester {
        guard let text = request.apiToken, let shared = SharedCall(rawValue: call.path) else {
            let session = try requireToken(request)
            return Requester(session.cashier?.name, supervisor: RoleCheck.supervisor)
        }
        _ = try tokens.require(shared, text, request, at: till)
        return Requester()
    }

    /// Authorizes a stream that API tokens allow. Returns a function that checks whether the stream
    /// is still allowed.
    func streamCheck(
        _ call: SharedCall, for request: WebRequest, at till: TillRunner
    ) throws(Problem) -> @Sendable () -> Bool {
        guard let text = request.apiToken else { return permissionCheck(for: request) }
        let token = try tokens.require(call, text, request, at: till)
        return { [tokens] in tokens.isValid(token) }
    }

    /// Returns a function that checks whether the sender of this request may still receive the
    /// till's events. A changed role ends the stream, too: the next one starts with the new role.
    func permissionCheck(for request: WebRequest) -> @Sendable () -> Bool {
        let role = (try? caller(of: request, isUse: false))?.cashier?.role
        // The check runs later, outside this request, so it must remember the till.
        let till = TillPath.number
        return { [self] in
            TillPath.$number.withValue(till) {
                // An open stream must not keep an idle session alive.
                (try? caller(of: request, isUse: false)).map { $0.cashier?.role == role } ?? false
            }
        }
    }

    func cookie(of secrets: TillSessions.Secrets) -> String {
        cookie(secrets.cookie, seconds: TillSessions.hours * 3_600)
    }

    var noCookie: String { cookie("", seconds: 0) }

    private func cookie(_ value: String, seconds: Int64) -> String {
        // Browsers on other machines would reject a Secure cookie over plain HTTP.
        "\(cookieName)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict"
            + (isProtected ? "; Secure" : "")
    }

    /// The session's cashier with their current role; nil if the cashier no longer exists or has
    /// another password. A session without a cashier is valid as long as no login is needed.
    private func caller(in session: TillSessions.Session) throws(Problem) -> Caller? {
        // A session that was stolen at one till must not work at another.
        guard session.till == TillPath.remoteNumber else { return nil }
        guard let cashier = session.cashier else {
            return try needsLogin() ? nil : Caller(session: session, cashier: nil)
        }
        return try current(cashier).map { Caller(session: session, cashier: $0) }
    }

    private func current(_ cashier: Cashier) throws(Problem) -> Cashier? {
        try cashiers().first(where: cashier.hasSameLogin)
    }

    private func cashiers() throws(Problem) -> [Cashier] { try Authenticator.cashiers(of: runner) }

    private static func cashiers(of runner: TillRunner) throws(Problem) -> [Cashier] {
        // The client might not be logged in, so the problem must not mention the file.
        try translating(runner.cashiers()) { (error: TapcardError) in
            Problem(
                error.kind,
                "Nobody can log in, because the list of cashiers cannot be used.", error.meaning,
                NextWords(
                    "ask-operator",
                    "The operator can find out why with: tapcard cashiers list"))
        }
    }

    /// Returns the cashier with this name and password. Neither a refusal nor its timing reveals
    /// whether the name exists.
    private func cashier(
        _ text: String, _ password: String, _ request: WebRequest
    ) async throws(Problem) -> Cashier {
        let name = try? CashierName(text)
        // Different spellings of a name count toward the same limit.
        let countedName = name?.spelling ?? ""
        let origin = origin(of: request)
        try requireFewFailures(countedName, origin, request)
        guard await turns.begin(countedName, from: origin) else {
            log.say("login-busy", ["client": .string(request.client)])
            throw .tooManyLogins
        }
        defer { turns.end() }
        // Attempts ahead of this one in the queue may have failed while it waited.
        try requireFewFailures(countedName, origin, request)
        let cashier = try name.flatMap { name throws(Problem) in try cashiers().named(name) }
        guard password.utf8.count <= Authenticator.maximumPasswordSize,
            let accepted = await passwords.accept(password, for: cashier, runner)
        else {
            limits.withLock { $0.fail(countedName, from: origin, at: uptime) }
            log.say("login-refused", ["client": .string(request.client)])
            throw .wrongPassword
        }
        // The log contains no names.
        log.say("login")
        limits.withLock { $0.forgive(countedName, from: origin) }
        return accepted
    }

    private var uptime: Int64 { SystemClock.millisecondsSinceBoot }

    private func requireFewFailures(
        _ name: String, _ origin: String, _ request: WebRequest
    ) throws(Problem) {
        guard let wait = limits.withLock({ $0.wait(name, from: origin, at: uptime) }) else {
            return
        }
        log.say("login-limited", ["client": .string(request.client)])
        throw .tooManyAttempts(waiting: wait)
    }

    /// Where an attempt comes from: the cashier who is already logged in on that page or, if there
    /// is none, the network address, which many clients may share.
    private func origin(of request: WebRequest) -> String {
        let named = request.bearerToken.flatMap { sessions.session(token: $0, isUsed: false) }
        guard let session = named ?? cookieSession(of: request, isUse: false),
            let cashier = session.cashier, (try? caller(in: session)) != nil
        else { return "address \(request.client)" }
        return "cashier \(cashier.name.spelling)"
    }

    private func cookieSession(
        of request: WebRequest, isUse: Bool
    ) -> TillSessions.Session? {
        for cookie in cookies(of: request) {
            if let session = sessions.session(cookie: cookie, isUsed: isUse) { return session }
        }
        return nil
    }

    /// The session cookies in this request. Servers on other ports of this host may have set
    /// cookies with the same name.
    private func cookies(of request: WebRequest) -> [String] {
        let fields = request.headers.all("Cookie").flatMap { $0.split(separator: ";") }
        return fields.compactMap { field in
            let parts = field.trimmingPrefix { $0 == " " }.split(separator: "=", maxSplits: 1)
            return parts.count == 2 && parts[0] == cookieName ? String(parts[1]) : nil
        }
    }
}

/// Checks passwords on a separate thread, because each check takes a long time.
private actor PasswordChecker {
    private nonisolated let lane = BlockingLane(label: "tapcard.passwords")
    /// A hash for unknown names, so that checking an unknown name takes as long as checking a known
    /// one.
    private let dummyHash = PasswordHash(
        cost: .standard, salt: RandomBytes.make(PasswordHash.saltSize),
        bytes: [UInt8](repeating: 0, count: PasswordHash.size))

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe lane.asUnownedSerialExecutor()
    }

    /// If the password is correct, returns the cashier with a hash at the current cost; otherwise,
    /// returns nil.
    func accept(_ password: String, for cashier: Cashier?, _ runner: TillRunner) -> Cashier? {
        guard (cashier?.password ?? dummyHash).accepts(password), let cashier else { return nil }
        guard cashier.password.cost.isBelowDefault else { return cashier }
        return runner.renewed(cashier, password)
    }
}

extension Problem {
    static let loginNeeded = Problem(
        .loginNeeded, "A login is needed.", "Nothing was done.",
        NextWords(
            "log-in-as-cashier",
            "Log in with POST /api/v1/session, with `cashier` and `password` in the JSON body."))

    static let tokenMissing = Problem(
        .tokenMissing, "The token is missing.", "Nothing was done.",
        NextWords("open-session", "Create one with POST /api/v1/session."))

    static let staleToken = Problem(
        .staleToken, "This session token is no longer valid.", "Nothing was done.",
        NextWords("open-session", "Create a new one with POST /api/v1/session."))

    static let wrongPassword = Problem(
        .wrongPassword, "Wrong name or password.", "You are not logged in.",
        NextWords("try-again", "Try again."))

    static func tooManyAttempts(
        waiting seconds: Int, _ what: String = "There were too many failed logins.",
        _ meaning: String = "You are not logged in."
    ) -> Problem {
        var problem = Problem(
            .tooManyAttempts, what, meaning,
            NextWords("try-again-in", "Try again in \(seconds) seconds.", ["seconds": seconds]))
        problem.headers = [("Retry-After", String(seconds))]
        return problem
    }

    static let tooManyLogins: Problem = {
        var problem = Problem(
            .tooManyLogins, "Too many people are logging in at once.",
            "You are not logged in.", NextWords("try-again", "Try again in a few seconds."))
        problem.headers = [("Retry-After", "5")]
        return problem
    }()
}
