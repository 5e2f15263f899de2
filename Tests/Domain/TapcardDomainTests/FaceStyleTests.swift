import TapcardDomain
import Testing

@Suite("The form in which a tag shows its card")
struct FaceStyleTests {
    @Test("has the words of the command line")
    func words() {
        #expect(FaceStyle.allCases.map(\.rawValue) == ["tapcard", "ios-app"])
    }
}
