import TestSupport
import Testing

@Suite("The command that stands in for the services", .ownThread)
struct SandboxCommandTests {
    @Test(
        "refuses numbers that are none",
        arguments: ["0", "1.5", "86401"])
    func numbers(text: String) throws {
        let ended = try Till().run(["sandbox", "--draw-every=\(text)"])
        #expect(ended.status == 2)
        #expect(
            ended.errors == """
                tapcard: --draw-every cannot be "\(text)": write a whole number, 1 to 86400. \
                Nothing is played.

                """)
    }

    @Test("refuses half a certificate")
    func refusals() throws {
        for (line, words) in [
            ("--tls-key key.pem", "A certificate needs its key, and a key its certificate."),
            ("--tls-certificate a.pem", "A certificate needs its key, and a key its certificate."),
        ] {
            let ended = try Till().run(["sandbox"] + line.split(separator: " ").map(String.init))
            #expect(ended.status == 2, "\(line)")
            #expect(ended.errors.hasPrefix("tapcard: \(words) Nothing is played. "), "\(line)")
        }
    }
}
