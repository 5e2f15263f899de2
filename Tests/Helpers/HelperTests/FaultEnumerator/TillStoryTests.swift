import FaultEnumerator
import Testing

@Suite("Two browsers at one till")
struct TillStoryTests {
    @Test("Two browsers charge a card once per visit and never without a press")
    func stories() {
        let played = TillStories.play()
        #expect(played.finding == nil)
        #expect(played.count > 5_000)
    }
}
