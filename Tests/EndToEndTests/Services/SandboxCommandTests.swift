import TestSupport
import Testing

@Suite("Options of the sandbox command", .ownThread)
struct SandboxCommandTests {
    @Test(
        "An invalid interval between draws is refused",
        arguments: ["0", "1.5", "86401"])
    func numbers(text: String) throws {
        let ended = try Till().run(["sandbox", "--draw-every=\(text)"])
        #expect(ended.status == 2)
        #expect(
            ended.errors == """
                tapcard: The value for --draw-every must be a whole number from 1 to 86400, not "\(text)". \
                The sandbox was not started.

                """)
    }

    @Test("A certificate without its key, or a key without its certificate, is refused")
    func refusals() throws {
        for (line, words) in [
            ("--tls-key key.pem", "A certificate and its private key can only be used together."),
            (
                "--tls-certificate a.pem",
                "A certificate and its private key can only be used together."
            ),
        ] {
            let ended = try Till().run(["sandbox"] + line.split(separator: " ").map(String.init))
            #expect(ended.status == 2, "\(line)")
            #expect(
                ended.errors.hasPrefix("tapcard: \(words) The sandbox was not started. "),
                "\(line)")
        }
    }
}
