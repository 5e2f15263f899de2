import ServicePorts
import Testing

@Suite("Activating the code of a card")
struct ActivationTests {
    @Test("a code that the service takes is activated, once")
    func activated() async throws {
        let service = FakeActivation(.success(.active))
        let bench = try ProgramBench(services: service.services)
        _ = await bench.run("demo --quiet")
        _ = await bench.run("scratch --quiet")
        let ended = await bench.run("activate")
        #expect(ended.status == 0)
        #expect(ended.text.hasPrefix("Activated: Amanda Gonzalez (id 1), $0.00\n"), "\(ended.text)")
        #expect(ended.text.contains("Scratch card: activated, code 0"))
        let again = await bench.run("activate")
        #expect(again.status == 4 && again.text.contains("This card was activated before."))
        #expect(service.questionCount == 1)
        #expect(await bench.run("read --json").text.contains(#""state":"activated""#))
        #expect(await bench.run("audit").status == 0)
    }

    @Test("the service's no is a refusal that names the version")
    func refused() async throws {
        let service = FakeActivation(.success(.refused(version: "6.1")))
        let bench = try ProgramBench(services: service.services)
        _ = await bench.run("demo --quiet")
        _ = await bench.run("scratch --quiet")
        let ended = await bench.run("activate --json")
        #expect(ended.status == 4)
        #expect(ended.text.hasPrefix(#"{"result":"refused","error":"activation-refused","#))
        #expect(ended.text.contains("version 6.1"), "\(ended.text)")
        #expect(await bench.run("read --json").text.contains(#""state":"scratched""#))
        // The next attempt asks again.
        _ = await bench.run("activate")
        #expect(service.questionCount == 2)
    }

    @Test(
        "a service that fails is exit status 8, and the code is as good as before",
        arguments: ServiceError.Kind.allCases)
    func failed(kind: ServiceError.Kind) async throws {
        let service = FakeActivation(.failure(ServiceError(kind, "the answer burned")))
        let bench = try ProgramBench(services: service.services)
        _ = await bench.run("demo --quiet")
        _ = await bench.run("scratch --quiet")
        let before = await bench.run("read --json --no-settle").text
        let ended = await bench.run("activate")
        #expect(ended.status == 8, "\(ended.text)")
        #expect(ended.text.contains("the answer burned"), "\(ended.text)")
        #expect(before.contains(#""state":"scratched""#))
        #expect(service.questionCount == 1)
    }

    @Test("a card that has no code to activate never reaches the service")
    func wrongState() async throws {
        let service = FakeActivation(.success(.active))
        let bench = try ProgramBench(services: service.services)
        _ = await bench.run("demo --quiet")
        let unscratched = await bench.run("activate")
        #expect(unscratched.status == 4 && unscratched.text.contains("not scratched yet"))
        #expect(service.questionCount == 0)
    }
}
