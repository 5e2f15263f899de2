import ServiceSandbox
import Testing
import TextCodecs

@Suite("The sandbox's activation service")
struct SandboxActivationTests {
    private static let code = "0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"
    private static let other = "1b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"

    @Test("A code that is asked about again gets its first answer, whatever others get")
    func again() throws {
        var activation = SandboxActivation()
        let first = try activation.answer(code: SandboxActivationTests.code)
        try activation.name("5")
        #expect(try activation.answer(code: SandboxActivationTests.code) == first)
        #expect(try activation.answer(code: SandboxActivationTests.code.uppercased()) == first)
        #expect(
            try activation.answer(code: SandboxActivationTests.other).text
                == #"{"ios":"5","android":"413506"}"#)
    }

    @Test(
        "Text that is not a code is malformed",
        arguments: [nil, "", "6.24", "0b9f1f6e5a3c4d2e9f101a2b3c4d5e6f", "0b9f1f6e-5a3c"])
    func malformed(code: String?) {
        var activation = SandboxActivation()
        #expect(throws: SandboxProblem.malformed("code is not a UUID")) {
            try activation.answer(code: code)
        }
    }

    @Test("A full sandbox refuses new codes and still answers known ones")
    func full() throws {
        var activation = SandboxActivation()
        func code(_ number: Int) -> String {
            let digits = String(number, radix: 16)
            return "00000000-0000-4000-8000-"
                + String(repeating: "0", count: 12 - digits.count) + digits
        }
        for number in 0..<SandboxActivation.maximumCodes {
            _ = try activation.answer(code: code(number))
        }
        #expect(throws: SandboxProblem.self) {
            try activation.answer(code: code(SandboxActivation.maximumCodes))
        }
        _ = try activation.answer(code: code(0))
    }

    @Test("A version is any text that is not too long")
    func naming() throws {
        var activation = SandboxActivation()
        try activation.name("")
        #expect(activation.version == "")
        #expect(throws: SandboxProblem.self) {
            try activation.name(String(repeating: "6", count: 65))
        }
    }
}
