import SimulatedReader
import Tags
import Testing
import Verbs

@Suite("Output of the program")
struct ProgramOutputTests {
    private typealias Ended = ProgramBench.Ended

    @Test("JSON has null where an operation or a restored backup has no value")
    func programs() async throws {
        let bench = try ProgramBench()
        _ = await bench.run("demo --quiet")
        #expect(await bench.run("block --quiet") == Ended(status: 0, text: ""))
        let history = await bench.run("history --json").text
        #expect(history.contains(#""kind":"block","state":"committed","amount":null,"#))
        #expect(history.contains(#""balance":"0.00","sequence":null,"reverses":null,"#))
        #expect(
            await bench.run("restore-backup /etc/passwd --json").text.contains(
                #""exhausted":["04010203040506"],"stopped":null,"kept":null"#))
    }

    @Test("A chip with an invalid signature is refused unless --any-chip is given")
    func anyChip() async throws {
        let bench = try ProgramBench()
        let uid: [UInt8] = [0x04, 0xAC, 0x6B, 0x72, 0xBA, 0x6C, 0x80]
        let signature = [UInt8](repeating: 0x5A, count: 32)
        let tag = try #require(TagMemory.blank(.ntag213, uid: uid, signature: signature))
        try await bench.reader.change { world in
            world.save(tag)
            world.put([uid])
        }
        let refused = await bench.run("demo")
        #expect(refused.status == 4 && refused.text.contains("--any-chip"), "\(refused.text)")
        let made = await bench.run("demo --any-chip")
        #expect(made.status == 0 && made.text.contains("signature: invalid"), "\(made.text)")
    }

    @Test("Protecting and unprotecting a tag print each step with --verbose")
    func verbose() async throws {
        let bench = try ProgramBench()
        _ = await bench.run("demo --quiet")
        let steps = [
            (
                "tag protect",
                ["setting the tag's password", "requiring the password for writing to the tag"]
            ),
            (
                "tag unprotect",
                [
                    "no longer requiring the password for writing to the tag",
                    "removing the tag's password",
                ]
            ),
        ]
        for (line, words) in steps {
            let text = await bench.run(line + " --verbose").text
            let lines = ["writing the record"] + words
            #expect(text.contains(lines.map { "! tapcard: \($0)\n" }.joined()), "\(text)")
        }
    }

    @Test("An interrupted unprotecting is given up if the tag's settings were locked")
    func lockedSettings() async throws {
        let bench = try ProgramBench()
        _ = await bench.run("demo --protect --quiet")
        try await bench.arm(Fault(at: 5, counting: .write, .torn(.unchanged)))
        #expect(await bench.run("tag unprotect").status == 6)
        try await bench.arm(nil)
        try await bench.reader.change { world in
            var tag = world.tags[0]
            tag[0x2A][0] = 0x40
            world.save(tag)
        }
        let reading = await bench.run("read")
        #expect(reading.status == 0)
        #expect(
            reading.text.contains(
                """
                Protection: write password from key 1; only a machine with that key can write to the tag. To check the chip, run: tapcard tag info
                Resolved: the interrupted write-password removal has been abandoned, because \
                someone locked the tag's configuration. The tag stays as it is, and the card can \
                still be used.

                """), "\(reading.text)")
    }

    @Test("Retiring a key reports the cards that keep its password")
    func passwords() async throws {
        let bench = try ProgramBench()
        _ = await bench.run("demo --protect --quiet")
        _ = await bench.run("keys rotate --quiet")
        _ = await bench.run("add 1 --quiet")
        #expect(
            await bench.run("keys list").text
                == """
                key 1  verify-only   created 2023-11-14  cards: 0  protected: 1
                key 2  active        created 2023-11-14  cards: 1  protected: 0

                """)
        let kept = """
            Tags whose write password still comes from this key: 1. Anyone who has the key can still \
            write to them until you run tapcard tag unprotect and then tapcard tag protect.
            """
        let refused = await bench.run("keys retire 1")
        #expect(refused.status == 2 && refused.text.contains("undone. No cards are affected. "))
        #expect(refused.text.contains(kept), "\(refused.text)")
        #expect(
            await bench.run("keys retire 1 --for-ever")
                == Ended(
                    status: 0,
                    text: """
                        Key 1 retired; cards that need tapcard repair: 0
                        \(kept)
                        Older exports contain the key; destroy them and make a new export
                        If you have a customer page, make a new key file and move it to the \
                        server: tapcard keys customers FILE --overwrite

                        """))
        #expect(
            await bench.run("keys list --json").text
                .contains(#""status":"retired","created":"2023-11-14","cards":0,"protected":1"#))
    }

    @Test(
        "The history and the settings fit the width of the terminal",
        arguments: [("history", 60), ("history", 80), ("history --last 1", 60), ("config", 80)])
    func narrow(line: String, columns: Int) async throws {
        let bench = try ProgramBench(
            isTerminal: true, columns: columns)
        _ = await bench.run("issue --balance 20 --quiet")
        let text = await bench.run(line).text
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= columns }, "\(text)")
        if line != "config" {
            #expect(text.hasSuffix("\n  03030303-0303-4303-8303-030303030303\n"), "\(text)")
        }
    }

    @Test("On a terminal, the spinner comes before the result and never after it")
    func terminal() async throws {
        let bench = try ProgramBench(isTerminal: true)
        _ = await bench.run("issue --balance 20 --quiet")
        for line in ["read", "pay 1", "read", "pay 1"] {
            let text = await bench.run(line).text
            let result = try #require(text.firstRange(of: "✓"))
            #expect(!text[result.upperBound...].contains("\r"))
            #expect(text.hasPrefix("! \r\u{1B}[K⠋ Tap the card"))
        }
    }
}
