import Glibc
import TestSupport
import Testing

@Suite("Activating a scratched card", .ownThread)
struct ActivationStoryTests {
    /// A till with a scratched card on the reader, and its code.
    static func scratched() throws -> (till: Till, code: String) {
        let till = try Till(["TAPCARD_JSON": "true"])
        try till.step("issue --balance 20")
        return (till, try till.operation(in: try till.step("scratch")))
    }

    @Test("An activation that is killed while it waits is completed exactly once")
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
        "An interrupted activation still reaches the service, and the next tap records it",
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
}
