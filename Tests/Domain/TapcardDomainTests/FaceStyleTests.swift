import TapcardDomain
import Testing

@Suite("Styles of a card's face")
struct FaceStyleTests {
    @Test("Face styles have the words of the command line")
    func words() {
        #expect(FaceStyle.allCases.map(\.rawValue) == ["tapcard", "ios-app"])
    }
}
