import TapcardCore
import TapcardDomain
import Testing

@Suite("Errors of services")
struct ServiceErrorTests {
    @Test(
        "Each kind of service error keeps its word and reason and has exit status 8",
        arguments: ServiceError.Kind.allCases)
    func kinds(_ kind: ServiceError.Kind) {
        let error = TapcardError(
            ServiceError(kind, "api.example: the reason"), meaning: "The card is unchanged.")
        #expect(error.description.contains("The card is unchanged."))
        guard kind != .cancelled else {
            // The caller that stopped it knows why it gave no answer.
            #expect(error.kind == .cancelled && error.result == .failed)
            return
        }
        let ended = TapcardError(.failed, "It said: No.\u{2E}", meaning: "So...")
        #expect(ended.description == "It said: No. So...")
        #expect(error.kind.word == "service-\(kind.rawValue)")
        #expect(error.result.exitStatus == 8)
        #expect(error.description.contains("api.example: the reason"))
    }
}
