import Testing
import WebServer

@Suite("The pace of the web server's loop") struct LoopPaceTests {
    /// While a handshake waits for its client, libmicrohttpd keeps asking to run again at once.
    @Test("Turns of the loop without progress are slowed down")
    func turnsThatBringNothingAreSlowedDown() {
        var pace = LoopPace()
        for _ in 0..<LoopPace.freePasses {
            #expect(pace.timeout(0) == 0)
            pace.note(hasProgress: false, hasEvent: false)
        }
        #expect(pace.timeout(0) == LoopPace.pauseMilliseconds)
        // A longer time is not changed, nor the wait for an event alone.
        #expect(pace.timeout(500) == 500)
        #expect(pace.timeout(nil) == nil)
        // Many new clients do not make it run as if requests were answered.
        for _ in 0..<LoopPace.passesAfterEvent {
            pace.note(hasProgress: false, hasEvent: true)
            #expect(pace.timeout(0) == 0)
        }
        for _ in 0..<LoopPace.passesAfterEvent { pace.note(hasProgress: false, hasEvent: false) }
        #expect(pace.timeout(0) == LoopPace.pauseMilliseconds)
        pace.note(hasProgress: true, hasEvent: false)
        #expect(pace.timeout(0) == 0)
    }
}
