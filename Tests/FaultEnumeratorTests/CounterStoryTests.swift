import FaultEnumerator
import Testing

@Suite("Two browsers at one counter")
struct CounterStoryTests {
    @Test("charge a card once a visit, and never without a press")
    func stories() {
        let played = CounterStories.play()
        #expect(played.finding == nil)
        #expect(played.count > 5_000)
    }
}
