import Ledger
import LedgerConformance
import TapcardDomain
import Testing

/// Ledgers store a subject as a text, which must stay readable byte for byte.
@Suite("The subject of an operation") struct SubjectTests {
    private static let code = "61429f67-4d9b-4db9-ba5c-735e68ffbdce"
    private static let game = String(repeating: "0a", count: 16)
    private static let ticket = "ticket-1 draw-1 2 16 23 44 47 52 + 14"

    @Test(
        "A subject is stored as it was read",
        arguments: [
            (Ledger.Operation.Kind.adopt, "none"), (.adopt, "unscratched"),
            (.adopt, "activated \(code)"), (.scratch, "scratched \(code)"),
            (.activate, "activated \(code)"),
            (.adopt, "04AC6B72BA6C80"), (.ticket, ticket), (.ticket, "+ + 1 + 2"),
            (.claim, "ticket-1"), (.payout, "+"), (.game, game), (.ask, code),
            (.offline, "04AC6B72BA6C80"),
        ])
    func isStoredAsItWasRead(_ kind: Ledger.Operation.Kind, _ text: String) {
        #expect(Subject(text, of: kind)?.text == text)
    }

    /// The word that an offline payment was first stored under.
    @Test("Every kind is stored under its own name, except offline payments")
    func isReadByTheStoredWordOfItsKind() {
        let kinds = Ledger.Operation.Kind.self
        #expect(kinds.offline.stored == "deferred" && kinds.init(stored: "deferred") == .offline)
        #expect(kinds.init(stored: "offline") == nil)
        for kind in kinds.allCases where kind != .offline { #expect(kind.stored == "\(kind)") }
    }

    @Test("A stored subject is read as its kind requires")
    func tellsItsCase() throws {
        let code = try #require(ScratchCode(SubjectTests.code))
        #expect(Subject("none", of: .adopt) == .scratch(.none))
        #expect(Subject("scratched \(code)", of: .scratch) == .scratch(.scratched(code)))
        #expect(Subject("\(CardUID.first)", of: .adopt) == .codeOwner(.first))
        #expect(Subject(SubjectTests.ticket, of: .ticket) == .ticket(.sample()))
        #expect(Subject("ticket-1", of: .payout) == .prize(Ticket.sample().id))
        #expect(
            Subject(SubjectTests.game, of: .game)
                == MastermindGameID(SubjectTests.game).map(Subject.game))
        #expect(Subject("\(code)", of: .ask) == .attempt(code))
    }

    @Test(
        "A subject that its kind could not have stored is refused",
        arguments: [
            (Ledger.Operation.Kind.scratch, "04AC6B72BA6C80"), (.scratch, ""),
            (.activate, "activated"), (.activate, "none \(code)"), (.scratch, "scratched  \(code)"),
            (.scratch, "scratched \(code.uppercased())"), (.adopt, "04ac6b72ba6c80"),
            (.adopt, "04:AC:6B:72:BA:6C:80"), (.ticket, "ticket-1"),
            (.ticket, "ticket-1 draw-1 + 14"), (.ticket, "ticket-1 draw-1 2 2 + 14"),
            (.ticket, "ticket-1 draw-1 2 02 + 14"),
            (.ticket, "ticket-1 draw-1 2 x + 14"), (.ticket, "ticket-1 draw-1 +2 + 14"),
            (.ticket, "ticket-1 draw-1 2 - 14"), (.claim, ticket), (.payout, ""),
            (.game, game.uppercased()), (.game, code), (.ask, game), (.ask, code.uppercased()),
            (.pay, "ticket-1"), (.issue, "none"), (.replace, "04AC6B72BA6C80"), (.reseal, ""),
            (.offline, "none"), (.offline, "04ac6b72ba6c80"),
        ])
    func refusesWhatItsKindCouldNotHaveStored(_ kind: Ledger.Operation.Kind, _ text: String) {
        #expect(Subject(text, of: kind) == nil)
    }
}
