import TapcardCore
import TapcardDomain
import Testing

@Suite("Admission of requests at a till")
struct AdmissionTests {
    private let id = OperationID("0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f")
    private let one = CardUID("04AC6B72BA6C80")
    private let other = CardUID("04AC6B72BA6C81")

    @Test("An uncertain payment counts until it is voided, and a certain one stays certain")
    func outcomes() throws {
        let (id, one) = (try #require(id), try #require(one))
        var visit = Visit()
        visit.leave()
        visit.arrive(one)
        #expect(visit.certainty(of: .pay) == nil)
        visit.note(.pay, id, .perhaps)
        #expect(visit.certainty(of: .pay) == .perhaps && visit.certainty(of: .add) == nil)
        visit.forget(id)
        #expect(visit.certainty(of: .pay) == nil)
        visit.note(.pay, id, .yes)
        visit.note(.pay, id, .perhaps)
        #expect(visit.certainty(of: .pay) == .yes && visit.knows(id))
    }

    @Test("A card already on the reader may have had any request until the ledger is asked")
    func unseen() throws {
        let (one, other) = (try #require(one), try #require(other))
        var visit = Visit()
        visit.arrive(one)
        #expect(visit.unseen == one && visit.certainty(of: .ticket) == .perhaps)
        visit.recall([.pay])
        #expect(visit.unseen == nil)
        #expect(visit.certainty(of: .pay) == .perhaps && visit.certainty(of: .add) == nil)
        // Whatever takes its place has been seen to come.
        visit.arrive(other)
        #expect(visit.unseen == nil && visit.certainty(of: .pay) == nil)
        visit.open()
        #expect(visit.card == nil && !visit.hasChecked)
    }

    @Test("The till asks only about the card on the reader, and not about a wanted repetition")
    func questions() throws {
        let (id, one, other) = (try #require(id), try #require(one), try #require(other))
        var admission = Admission()
        admission.visit.arrive(one)
        admission.visit.recall([])
        admission.visit.note(.pay, id, .yes)
        #expect(admission.question(.pay, on: nil, isAgain: false) == .yes)
        #expect(admission.question(.pay, on: one, isAgain: false) == .yes)
        #expect(admission.question(.pay, on: other, isAgain: false) == nil)
        #expect(admission.question(.pay, on: nil, isAgain: true) == nil)
    }
}
