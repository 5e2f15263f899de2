import Testing

@Suite("The command that stands in for the services", .ownThread)
struct SandboxCommandTests {
    @Test(
        "refuses numbers that are none",
        arguments: [
            ("port", "65536", "0 to 65535"), ("port", "http", "0 to 65535"),
            ("port", "99999999999999999999", "0 to 65535"), ("draw-every", "0", "1 to 86400"),
            ("draw-every", "1.5", "1 to 86400"), ("draw-every", "86401", "1 to 86400"),
        ])
    func numbers(option: String, text: String, range: String) throws {
        let ended = try Till().run(["sandbox", "--\(option)=\(text)"])
        #expect(ended.status == 2)
        #expect(
            ended.errors == """
                tapcard: --\(option) cannot be "\(text)": write a whole number, \(range). \
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
