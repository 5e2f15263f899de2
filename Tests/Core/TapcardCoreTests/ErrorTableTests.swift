import TapcardCore
import TapcardDomain
import Testing

@Suite("The table of errors")
struct ErrorTableTests {
    private let kinds = TapcardError.Kind.allCases

    @Test("Each kind of error has a unique word and a meaning")
    func words() {
        #expect(kinds.count > 80)
        #expect(Set(kinds.map(\.word)).count == kinds.count)
        #expect(kinds.allSatisfy { $0.word.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil })
        #expect(kinds.allSatisfy { !$0.meaning.isEmpty })
    }

    @Test("Refusals and service failures keep their own words as kinds of errors")
    func others() {
        for rule in Refusal.Rule.allCases {
            #expect(TapcardError.Kind.refusal(rule).word == rule.rawValue)
            #expect(kinds.contains(.refusal(rule)))
        }
        for kind in ServiceError.Kind.allCases { #expect(kinds.contains(.service(kind))) }
    }

    @Test("Each kind of error has the HTTP status of its result, except for two conflicts")
    func statuses() {
        let usual: [TapcardError.Result: Int] = [
            .failed: 500, .usage: 400, .noCard: 504, .refused: 409, .noReader: 503, .unknown: 500,
            .untrusted: 409, .service: 502, .ledger: 500,
        ]
        let others = kinds.filter { $0.httpStatus != usual[$0.result] }
        #expect(others == [.cancelled, .operationMismatch])
        #expect(others.allSatisfy { $0.httpStatus == 409 })
    }

    @Test("An error that names no next steps has those of its kind")
    func steps() {
        #expect(TapcardError(.severalTags, "There are two.").next == [.tag(.leaveOneCard)])
        #expect(TapcardError(.severalTags, "There are two.", next: []).next == [])
        #expect(TapcardError(Refusal(.cardBlocked, "it is blocked")).next == [.card(.unblock)])
        #expect(
            TapcardError(Refusal(.cardBlocked, "it was replaced", .replaced)).next
                == [.card(.useReplacement), .card(.reissueTag)])
        let stopped = TapcardError(ServiceError(.cancelled, "it was stopped"), meaning: "")
        #expect(stopped.kind == .cancelled && stopped.next == [.service(.tryLater)])
    }
}
