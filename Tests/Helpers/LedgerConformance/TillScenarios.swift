import Ledger
import TapcardDomain
import Testing

extension Scenario {
    /// Tills whose readers are on other machines.
    static let tills = [
        Scenario("only the agent that has a till's code can take the till") { till in
            let added = try await till.added("Bar 1", code: 1)
            #expect(added.number == EnrolledTill.firstNumber)
            #expect(try await till.enrollment(code: 1, token: 5, at: 11) == .badIdentifierRefused)
            let taken = try await till.enrolled(code: 1, token: 5, at: 2)
            #expect(taken.token == .hash(5) && taken.epoch == 1)
            // The answer may have been lost, so this works again, even after the code has expired.
            let again = try await till.enrolled(code: 1, token: 5, at: 900)
            #expect(again == taken)
            #expect(try await till.enrollment(code: 1, token: 6, at: 3) == .badIdentifierRefused)
            #expect(try await till.enrollment(code: 2, token: 6, at: 3) == .badIdentifierRefused)
        },
        Scenario("each attachment raises the epoch of the till") { till in
            try await till.added("Bar 1", code: 1)
            #expect(try await till.attachment(token: 5) == .badIdentifierRefused)
            try await till.enrolled(code: 1, token: 5, at: 2)
            guard case .done(let first) = try await till.attachment(token: 5),
                case .done(let second) = try await till.attachment(token: 5)
            else { throw Unexpected(answer: "a till could not be attached") }
            #expect(first.epoch == 2 && second.epoch == 3)
            #expect(second.attachment == .sample)
            // Another machine takes the till.
            _ = try await till.ledger.renewCode(of: .till("Bar 1"), .numbered(2))
            let other = try await till.enrolled(code: 2, token: 6, at: 2)
            #expect(other.number == first.number && other.epoch == 4)
            #expect(other.attachment == .sample)
            #expect(try await till.attachment(token: 5) == .badIdentifierRefused)
        },
        Scenario("a suspended till can be attached only after it is confirmed") { till in
            try await till.added("Bar 1", code: 1)
            try await till.enrolled(code: 1, token: 5, at: 2)
            try await till.ledger.suspendTills()
            guard case .refused(let refusal) = try await till.attachment(token: 5) else {
                throw Unexpected(answer: "a suspended till was attached")
            }
            #expect(refusal.rule == .wrongState)
            _ = try await till.ledger.confirmTill(.till("Bar 1"))
            guard case .done = try await till.attachment(token: 5) else {
                throw Unexpected(answer: "a confirmed till was not attached")
            }
        },
        Scenario("current tills have unique names, and no number is ever reused") { till in
            let first = try await till.added("Bar 1", code: 1)
            let second = try await till.added("Bar 2", code: 2)
            #expect(second.number == first.number + 1)
            guard
                case .refused(let refusal) = try await till.ledger.addTill(
                    .till("Bar 1"), isTrusted: true, code: .numbered(3), at: .end),
                case .refused = try await till.ledger.renameTill(
                    .till("Bar 1"), to: .till("Bar 2")),
                case .refused = try await till.ledger.renameTill(.till("Bar 1"), to: .till("12")),
                case .refused = try await till.ledger.renameTill(.till("Bar 9"), to: .till("x"))
            else { throw Unexpected(answer: "a name is used twice, or an unknown till renamed") }
            #expect(refusal.rule == .badName)
            guard
                case .done(let renamed) = try await till.ledger.renameTill(
                    .till("Bar 1"), to: .till("Terrace")),
                case .done(let removed) = try await till.ledger.removeTill(
                    .till("Bar 2"), at: .end)
            else { throw Unexpected(answer: "a till was not renamed, or not removed") }
            #expect(renamed.number == first.number)
            #expect(removed.removed == .end && removed.code == nil && removed.token == nil)
            let third = try await till.added("Bar 2", code: 4)
            #expect(third.number == second.number + 1)
            let all = try await till.ledger.read { rows throws(LedgerError) in
                (try rows.tills(), try rows.currentTills())
            }
            #expect(all.0 == [renamed, removed, third] && all.1 == [renamed, third])
        },
        Scenario("a session is kept until it ends, is too old, or its till is removed") { till in
            let (first, second) = (
                try await till.added("Bar 1", code: 1), try await till.added("Bar 2", code: 2)
            )
            let ledger = till.ledger
            let ann = try CashierSession.sample(1, at: first, opened: 10)
            let bob = try CashierSession.sample(2, at: first, opened: 20)
            let other = try CashierSession.sample(3, at: second, opened: 5)
            for session in [ann, bob, other] {
                try await ledger.add(session, after: .tick(5))
            }
            #expect(try await ledger.sessions(at: first.number) == [ann, bob])
            // A use of a session that has ended does not begin it again.
            try await ledger.endSession(ann.token)
            try await ledger.noteUse(of: ann.token, at: first.number, .tick(30))
            try await ledger.noteUse(of: bob.token, at: first.number, .tick(30))
            // The clock of a server may be slow.
            try await ledger.noteUse(of: bob.token, at: first.number, .tick(25))
            let kept = try await ledger.sessions(at: first.number)
            #expect(kept.map(\.token) == [bob.token] && kept[0].used == .tick(30))
            #expect(kept[0].opened == bob.opened && kept[0].login == bob.login)
            let late = try CashierSession.sample(4, at: first, opened: 40)
            try await ledger.add(late, after: .tick(21))
            #expect(try await ledger.sessions(at: first.number) == [late])
            _ = try await ledger.removeTill(.till("Bar 1"), at: .end)
            #expect(try await ledger.sessions(at: first.number) == [])
            #expect(try await ledger.sessions(at: second.number) == [other])
            try await ledger.suspendTills()
            #expect(try await ledger.sessions(at: second.number) == [])
        },
    ]
}

extension LedgerTill {
    @discardableResult fileprivate func added(
        _ name: String, code: UInt8
    ) async throws -> EnrolledTill {
        let outcome = try await ledger.addTill(
            .till(name), isTrusted: false, code: .numbered(code), at: .tick(1))
        guard case .done(let till) = outcome else { throw Unexpected(answer: "\(outcome)") }
        return till
    }

    /// Uses a code this many minutes after it was made.
    fileprivate func enrollment(
        code: UInt8, token: UInt8, at minutes: Int64
    ) async throws -> TillOutcome {
        try await ledger.enroll(
            codeHash: .hash(code), tokenHash: .hash(token),
            at: Timestamp(milliseconds: EnrolledTill.Code.madeAt + minutes * 60_000))
    }

    @discardableResult fileprivate func enrolled(
        code: UInt8, token: UInt8, at minutes: Int64
    ) async throws -> EnrolledTill {
        let outcome = try await enrollment(code: code, token: token, at: minutes)
        guard case .done(let till) = outcome else { throw Unexpected(answer: "\(outcome)") }
        return till
    }

    fileprivate func attachment(token: UInt8) async throws -> TillOutcome {
        try await ledger.attach(tokenHash: .hash(token), .sample)
    }
}

extension CashierSession {
    fileprivate static func sample(
        _ number: UInt8, at till: EnrolledTill, opened: Int
    ) throws -> CashierSession {
        CashierSession(
            token: .hash(number), cookie: .hash(number + 100), till: till.number,
            cashier: try CashierName("Zoë \(number)"), login: .hash(number + 200),
            opened: .tick(opened), used: .tick(opened))
    }
}

extension TillOutcome {
    /// Refusals are equal if their rules are.
    fileprivate static let badIdentifierRefused = TillOutcome.refused(Refusal(.badIdentifier, ""))
}

extension [UInt8] {
    fileprivate static func hash(_ number: UInt8) -> [UInt8] {
        [UInt8](repeating: number, count: 32)
    }
}

extension TillName {
    fileprivate static func till(_ text: String) -> TillName {
        guard let name = try? TillName(text) else { preconditionFailure("\(text) is a name") }
        return name
    }
}

extension EnrolledTill.Code {
    fileprivate static let madeAt: Int64 = 1_800_000_000_000

    fileprivate static func numbered(_ number: UInt8) -> EnrolledTill.Code {
        EnrolledTill.Code(
            hash: .hash(number), expires: Timestamp(milliseconds: madeAt + lifetime))
    }
}

extension EnrolledTill.Attachment {
    fileprivate static let sample = EnrolledTill.Attachment(
        at: .end, server: "north", serverAddress: "https://north.example",
        run: [UInt8](repeating: 3, count: 16), release: "1.2.3", reader: "ACR122U",
        address: "192.0.2.1")
}
