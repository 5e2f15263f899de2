import FaultEnumerator
import Testing

@Suite("Armed sales")
struct ArmingStoryTests {
    @Test("An armed sale is charged by exactly the cards that arrive for it")
    func stories() {
        let played = ArmingStories.play()
        #expect(played.finding == nil)
        #expect(played.stories > 200_000)
        #expect(played.payments > 500)
    }
}
