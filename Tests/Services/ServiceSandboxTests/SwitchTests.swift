import ServiceSandbox
import Testing

@Suite("The sandbox's failure switch")
struct SwitchTests {
    @Test(
        "Every failure may have a count and, if it concerns a service, the service's name",
        arguments: SandboxFailure.allCases)
    func words(failure: SandboxFailure) throws {
        let word = failure.rawValue
        let plain = try #require(SandboxSwitch(word))
        #expect(plain.failure == failure)
        #expect(plain.service == nil && plain.times == nil)
        #expect(plain.description == word)
        let counted = try #require(SandboxSwitch("\(word)*3"))
        #expect(counted.times == 3)
        #expect(counted.description == "\(word)*3")
        for service in SandboxService.allCases {
            let isPossible = failure.calls.contains { $0.service == service }
            let named = SandboxSwitch("\(service.rawValue):\(word)*1")
            #expect((named != nil) == isPossible, "\(service) \(word)")
            #expect(named?.service == (isPossible ? service : nil))
        }
    }

    @Test("A slow failure may set its delay")
    func slow() throws {
        #expect(SandboxSwitch("slow")?.seconds == 60)
        let slow = try #require(SandboxSwitch("lottery:slow=3*2"))
        #expect(slow.seconds == 3 && slow.times == 2 && slow.service == .lottery)
        #expect(slow.description == "lottery:slow=3*2")
        #expect(SandboxSwitch("slow=0")?.seconds == 0)
    }

    @Test(
        "Text that is not a failure is refused",
        arguments: [
            "", "none", "Slow", "slow ", "slower", "slow=", "slow=-1", "slow=3601", "slow=1.5",
            "cut-off=1", "cut-off*", "cut-off*0", "cut-off*-1", "cut-off*1000001", "cut-off*1*1",
            "*1", "=3", ":", "town:slow", "lottery:", "lottery:none", ":slow",
            "lottery:bad-version",
            "activation:bad-balls", "lottery:expired-token", "418",
        ])
    func refused(text: String) {
        #expect(SandboxSwitch(text) == nil)
        #expect(SandboxSwitch.refusal(text).hasPrefix("Unknown failure \"\(text)\""))
    }
}
