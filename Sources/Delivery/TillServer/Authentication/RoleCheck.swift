import BlockingLane
import Ledger
import OperatingSystem
import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs
import WebServer

/// The sender of a request. `cashier` is the person who is logged in, with their current role; nil
/// if no login is needed, in which case everything is allowed.
struct Caller: Sendable {
    let session: TillSessions.Session?
    let cashier: Cashier?
}

/// Enforces the permissions of all calls. Nothing else decides what a role may do.
struct RoleCheck: Sendable {
    /// How long sellers may undo their own payments, in minutes.
    static let undoMinutes: Int64 = 5

    let runner: TillRunner
    let consents: Consents

    /// The second person whose consent the current request needed; nil if it needed none.
    @TaskLocal static var supervisor: CashierName?

    /// Throws unless the caller may make this request. Returns the second person who consented, if
    /// the request needed that.
    func require(
        _ permission: Permission, of caller: Caller, for request: WebRequest
    ) async throws(Problem) -> CashierName? {
        guard let cashier = caller.cashier else { return nil }
        let members = RoleCheck.members(of: request)
        guard let refusal = try await refusal(permission, cashier, members) else { return nil }
        guard let session = caller.session,
            let supervisor = try consents.supervisor(of: session, for: request.path, members),
            supervisor.role > cashier.role
        else { throw refusal }
        // A supervised call only needs a second person with a higher role.
        if permission != .supervised,
            let refusal = try await self.refusal(permission, supervisor, members)
        {
            throw refusal
        }
        return supervisor.name
    }

    /// Throws unless the caller's role may make a call that needs no further check.
    func requireRole(_ permission: Permission, of caller: Caller) throws(Problem) {
        guard let cashier = caller.cashier, let lowest = permission.lowest, cashier.role < lowest
        else { return }
        throw .roleNeeded(lowest)
    }

    /// The caller's role, and the calls that it may make, by itself or with a person's consent.
    static func document(of cashier: Cashier?) -> Members {
        let role = cashier?.role ?? .owner
        let calls = (TillCall.all + TillCall.simulator).filter {
            $0.permission.lowest.map { $0 <= role } ?? true
        }
        let supervised = calls.filter { $0.permission == .supervised && role != .owner }
        func paths(_ calls: [TillCall]) -> JSONValue { .array(calls.map { .string($0.path) }) }
        return [
            "role": .text(cashier?.role.rawValue),
            "may": paths(calls.filter { call in !supervised.contains { $0.path == call.path } }),
            "mayWithConsent": paths(supervised),
        ]
    }

    /// The members of a request, read from the same place as the call reads them. Otherwise, a
    /// request could show this check one value and the call another.
    private static func members(of request: WebRequest) -> [String: JSONValue] {
        let members: [JSONMember]
        if request.method == "POST" {
            // The call itself refuses a malformed body and repeated members.
            members = (try? JSONValue.parsing(request.body))?.members ?? []
        } else {
            members = request.query.map { JSONMember(key: $0.name, value: .string($0.value)) }
        }
        return Dictionary(members.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
    }

    /// Why this person may not make the request; nil if they may.
    private func refusal(
        _ permission: Permission, _ cashier: Cashier, _ members: [String: JSONValue]
    ) async throws(Problem) -> Problem? {
        let role = cashier.role
        if let lowest = permission.lowest, role < lowest { return .roleNeeded(lowest) }
        guard role != .owner else { return nil }
        switch permission {
        case .everyone, .role: return nil
        case .making:
            let paysOut = members["reissue"] == .bool(true) && members["confirmed"] == .bool(true)
            return paysOut ? .roleNeeded(.owner) : nil
        case .history:
            return role == .seller && (members["card"] ?? .null) == .null
                ? .roleNeeded(.cashier, "A seller may see one card's history only.") : nil
        case .shift:
            return role == .seller && (members["shift"] ?? .null) != .null
                ? .roleNeeded(.cashier, "A seller may see only whether a shift is open.") : nil
        case .supervised:
            if try await isRecorded(members["operation"]) { return nil }
            return .roleNeeded(
                role == .seller ? .cashier : .owner, "This needs the consent of a second person.")
        case .refund: return try await refusalOfRefund(cashier, members)
        case .payout: return try await refusalOfPayout(members)
        }
    }

    private func refusalOfRefund(
        _ cashier: Cashier, _ members: [String: JSONValue]
    ) async throws(Problem) -> Problem? {
        guard try await !isRecorded(members["operation"]),
            let id = members["payment"]?.string.flatMap(OperationID.init),
            // The call itself reports an unknown operation.
            let refunded = try await runner.recorded(id)
        else { return nil }
        if cashier.role == .seller {
            let age = runner.now().milliseconds - refunded.at.milliseconds
            // A clock that was set back must not allow more.
            let isRecent = abs(age) <= RoleCheck.undoMinutes * 60_000
            let isOwnSale =
                refunded.cashier == cashier.name && refunded.isSale
            return isRecent && isOwnSale
                ? nil
                : .roleNeeded(
                    .cashier,
                    "A seller may undo only their own payments of the last "
                        + "\(RoleCheck.undoMinutes) minutes.")
        }
        let part = members["amount"]?.string.flatMap(runner.amount)?.minorUnits
        // A full refund also returns what was not paid with the card.
        return try refusal(
            above: part.flatMap { $0 < refunded.amount ? $0 : nil }
                ?? refunded.amount + refunded.rest)
    }

    private func refusalOfPayout(
        _ members: [String: JSONValue]
    ) async throws(Problem) -> Problem? {
        if try await isRecorded(members["operation"]) { return nil }
        guard let card = members["card"]?.string.flatMap(CardUID.init) else {
            return .roleNeeded(.owner, "A cashier must send the card's UID for a payout.")
        }
        return try refusal(above: try await runner.balance(of: card))
    }

    /// The refusal of an amount that is above the limit for cashiers, in minor units.
    private func refusal(above amount: Int64) throws(Problem) -> Problem? {
        let limit = try translating(runner.cashierRefundLimit(), into: Problem.init)
        guard amount > limit.minorUnits else { return nil }
        return .roleNeeded(
            .owner, "A cashier may refund or pay out at most \(limit) \(limit.currency.code).")
    }

    /// Whether an earlier attempt was recorded with this operation ID. A repeated request only gets
    /// its outcome.
    private func isRecorded(_ id: JSONValue?) async throws(Problem) -> Bool {
        guard let id = id?.string.flatMap(OperationID.init) else { return false }
        return try await runner.recorded(id) != nil
    }
}

/// The consents of supervisors. Each allows one session to make one call about one card or payment.
final class Consents: Sendable {
    /// How long a consent is valid: long enough to tap a card, and to repeat a lost request.
    private static let duration: Int64 = 300_000
    /// The calls that can be consented to, with the member that identifies what they are about. A
    /// card can be replaced only once and a payment refunded only once, so a consent cannot be used
    /// for anything else.
    static let subjects = ["replace": "card", "refund": "payment"]

    private struct Key: Hashable {
        let session: [UInt8]
        let path: String
        let subject: String
    }

    private let given = Guarded<[Key: (supervisor: Cashier, end: Int64)]>([:])
    private let current: @Sendable (Cashier) throws(Problem) -> Cashier?

    /// `current` returns the cashier as listed now; nil if they can no longer log in.
    init(current: @escaping @Sendable (Cashier) throws(Problem) -> Cashier?) {
        self.current = current
    }

    func give(
        _ supervisor: Cashier, to session: TillSessions.Session, for call: String, _ subject: String
    ) {
        let now = SystemClock.millisecondsSinceBoot
        let key = Key(
            session: session.id, path: CallRoutes.base + call, subject: subject.uppercased())
        given.withLock { given in
            given = given.filter { $0.value.end > now }
            given[key] = (supervisor, now + Consents.duration)
        }
    }

    fileprivate func supervisor(
        of session: TillSessions.Session, for path: String, _ members: [String: JSONValue]
    ) throws(Problem) -> Cashier? {
        guard let member = Consents.subjects[String(path.dropFirst(CallRoutes.base.count))],
            let subject = members[member]?.string
        else { return nil }
        let key = Key(session: session.id, path: path, subject: subject.uppercased())
        let consent = given.withLock { $0[key] }
        guard let consent, consent.end > SystemClock.millisecondsSinceBoot else { return nil }
        return try current(consent.supervisor)
    }
}

extension Problem {
    /// The refusal of a call that needs this role or a higher one.
    static func roleNeeded(_ role: CashierRole, _ what: String? = nil) -> Problem {
        let who = role == .owner ? "an owner" : "\(role.noun) or an owner"
        return Problem(
            .roleNeeded, what ?? "Only \(who) may do this.", "Nothing was done.",
            NextWords("ask-role", "Ask \(who) to do it.", ["role": role.rawValue]))
    }
}
