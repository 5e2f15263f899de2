import Testing
import WebServer

@Suite struct LoopPaceTests {
    /// While a handshake waits for its client, libmicrohttpd wants to run again at once, for ever.
    @Test func turnsThatBringNothingAreSlowedDown() {
        var pace = LoopPace()
        for _ in 0..<LoopPace.freeTurns {
            #expect(pace.timeout(0) == 0)
            pace.note(hasProgress: false)
        }
        #expect(pace.timeout(0) == LoopPace.pauseMilliseconds)
        // A longer time is not changed, nor the wait for an event alone.
        #expect(pace.timeout(500) == 500)
        #expect(pace.timeout(nil) == nil)
        pace.note(hasProgress: true)
        #expect(pace.timeout(0) == 0)
    }
}
