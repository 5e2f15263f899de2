import Glibc
import TestSupport
import Testing

@Suite("Activating a scratched card, with the service in a process of its own", .ownThread)
struct ActivationStoryTests {
    /// A till with a scratched card on the reader, and its code.
    static func scratched() throws -> (till: Till, code: String) {
        let till = try Till(["TAPCARD_JSON": "true"])
        try till.step("issue --balance 20")
        return (till, try till.operation(in: try till.step("scratch")))
    }

    @Test("asks the service for the code, once, and never again")
    func once() throws {
        let (till, code) = try Self.scratched()
        let services = try PlayedServices(till)
        #expect(try services.step("activate").contains("\"state\":\"activated\""))
        let again = try services.run("activate")
        #expect(again.status == 4)
        #expect(again.output.contains("\"error\":\"wrong-state\""))
        #expect(try services.codes == [code])
        try services.stop()
        #expect(try till.step("read").contains("\"state\":\"activated\""))
        #expect(try till.step("audit").contains(#""open":0,"violations":[]"#))
    }

    @Test("a process that is killed while it waits ends activated, exactly once")
    func killed() throws {
        let (till, code) = try Self.scratched()
        let services = try PlayedServices(till, ["--fail", "activation:slow=30*1"])
        let process = try services.start("activate")
        try process.wait("the service is asked") { try services.codes == [code] }
        process.signal(SIGKILL)
        #expect(try process.end().status == 128 + SIGKILL)
        #expect(try till.step("read").contains("\"state\":\"activating\""))
        #expect(try services.step("activate").contains("\"state\":\"activated\""))
        #expect(try services.codes == [code, code])
        #expect(try till.step("history").matches(of: /"kind":"activate"/).count == 1)
        #expect(try till.step("audit").contains(#""open":0,"violations":[]"#))
    }

    @Test(
        "leaving does not stop the request; the next tap writes it",
        arguments: [SIGINT, SIGTERM])
    func leaving(signal: Int32) throws {
        let (till, code) = try Self.scratched()
        let services = try PlayedServices(till, ["--fail", "activation:slow=2*1"])
        let process = try services.start("activate")
        try process.wait("the service is asked") { try services.codes == [code] }
        process.signal(signal)
        let ended = try process.end()
        #expect(ended.status == 6, "\(ended.output)")
        #expect(ended.output.contains("\"result\":\"unknown\""))
        #expect(try till.step("read").contains("\"state\":\"activated\""))
        #expect(try services.codes == [code])
    }

    @Test("a card that has gone in the meantime is written at its next tap")
    func gone() throws {
        let (till, code) = try Self.scratched()
        let services = try PlayedServices(till, ["--fail", "activation:slow=2*1"])
        let process = try services.start("activate --timeout 1")
        try process.wait("the service is asked") { try services.codes == [code] }
        try till.step("sim take")
        #expect(try process.end().status == 6)
        try till.step("sim put")
        #expect(try till.step("read").contains("\"state\":\"activated\""))
    }

    @Test(
        "an answer that is none changes nothing, and says which rule it broke",
        arguments: Thoroughness.some(
            [
                ("cut-off", "service-cut-off", 8), ("huge", "service-too-large", 8),
                ("huge-unannounced", "service-too-large", 8), ("not-json", "service-not-json", 8),
                ("wrong-shape", "service-wrong-shape", 8), ("redirect", "service-redirected", 8),
                ("400", "service-refused", 8), ("404", "service-refused", 8),
                ("500", "service-broken", 8), ("503", "service-broken", 8),
                ("wrong-version", "activation-refused", 4),
                ("bad-version", "service-bad-version", 8),
                ("empty-version", "service-empty-version", 8), ("slow=60", "service-timed-out", 8),
            ], of: 4))
    func failures(failure: String, word: String, status: Int) throws {
        let (till, code) = try Self.scratched()
        let before = try till.step("read")
        let services = try PlayedServices(till, ["--fail", "activation:\(failure)"])
        let ended = try services.run("activate")
        #expect(ended.status == Int32(status), "\(ended.output)")
        #expect(ended.output.contains("\"error\":\"\(word)\""), "\(ended.output)")
        #expect(try services.codes.allSatisfy { $0 == code })
        // Whether it took effect out there is not known where no answer came.
        let after = try till.step("read").replacing("activating", with: "scratched")
        #expect(after == before)
        try services.fail("none")
        #expect(try services.step("activate").contains("\"state\":\"activated\""))
        #expect(try till.step("history").matches(of: /"kind":"activate"/).count == 1)
        #expect(try till.step("audit").contains(#""open":0,"violations":[]"#))
    }

    @Test("a missing service is reported, too")
    func unreachable() throws {
        let (till, _) = try Self.scratched()
        let services = try PlayedServices(till)
        try services.stop()
        let ended = try services.run("activate")
        #expect(ended.status == 8 && ended.output.contains("\"error\":\"service-unreachable\""))
    }
}
