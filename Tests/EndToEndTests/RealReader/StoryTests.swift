import TestSupport
import Testing

/// The story of a till is told twice: on the simulated reader, and over the real libnfc on an
/// emulated PN532.
@Suite("One story on the simulated reader and over libnfc", .ownThread)
struct StoryTests {
    /// One thing that happens at a till.
    private enum Step {
        case run(String)
        case take
        case put
        /// A new tag from the factory, in place of what is there.
        case new(String)
        /// The tag that was there before the last new one.
        case first
    }

    private struct Told: Equatable {
        let line: String
        let status: Int32
        let output: String
        let errors: String
    }

    /// Every command that needs a card, and those around them.
    private static let story: [Step] =
        [
            .run("tag info"), .run("read"), .run("demo"), .run("read"), .run("read --json"),
            .run("add 20"), .run("pay 4.50"), .run("pay 100"), .run("pay 4,5"),
            .run("products add Tea --price 1"), .run("sell 2xTea"),
            .run("sell Tea --tender cash --given 5"), .run("shift open --float 10"),
            .run("shift cash out 1 --reason Stamps"), .run("shift show"),
            .run("shift close --counted 9"), .run("shift list"),
            .run("pay 1 --operation 6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60"),
            .run("pay 1 --operation 6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60"),
            .run("receipt 6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60"),
            .run("receipt print 6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60"),
            .run("refund 6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60"),
            .run("scratch"), .run("scratch"), .run("read --no-resolve --json"), .run("tag dump"),
            .run("pay 1 --card 04FFFFFFFFFFFF"), .take, .run("read --timeout 0"), .put,
            .run("block --card 04AC6B72BA6C80"), .run("pay 1"), .run("read --json"),
            .run("unblock --card 04AC6B72BA6C80"), .run("repair"),
            .run("repair --card 04AC6B72BA6C80"),
            .run("demo"), .run("forget --card 04AC6B72BA6C80"), .run("read"),
            .new("NTAG215"), .run("pay 1"), .run("adopt"), .run("tag info --json"),
            .run("replace --card 04AC6B72BA6C80"), .run("read"), .run("pay 2"),
            .first, .run("read"), .run("close"),
            .new("NTAG216"), .run("issue --name Zoë --id 7 --balance 12.34"), .run("read"),
            .run("pay 12.34"), .run("pay 0.01"), .run("add 3"), .run("tag dump"), .run("close"),
            .run("tag format --overwrite"), .run("tag info"),
            .run("tag write --url https://example.com/{uid} --text Hello"), .run("tag read"),
            .run("tag write --text Again"), .run("tag read --json"),
            .new("NTAG213"), .run("issue --protect --balance 5"), .run("tag info --json"),
            .run("pay 1"), .run("scratch"), .run("tag protect"), .run("tag unprotect"),
            .run("tag unprotect"), .run("tag info"), .run("pay 1"), .run("tag protect"),
            .run("read --json"), .run("tag info"), .run("history"), .run("audit"),
        ] + provenCard
    /// Everything that is done with a card on an NTAG 424; at the end it gets new keys.
    private static let provenCard: [Step] = [
        .new("NTAG424"), .run("tag info --json"), .run("tag read"), .run("read"), .run("pay 1"),
        .run("issue --name Zoë --id 7 --balance 12.34"), .run("read --json"), .run("add 20"),
        .run("pay 4.50"), .run("pay 100"),
        .run("pay 1 --operation 6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f61"),
        .run("pay 1 --operation 6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f61"),
        .run("refund 6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f61"), .run("scratch"),
        .run("read --no-resolve"), .run("tag write --text Hi"), .run("tag dump"),
        .run("tag protect"), .run("tag format"),
        .run("block --card 04518DFAA96180"), .run("pay 1"), .run("unblock --card 04518DFAA96180"),
        .run("repair"), .run("repair --card 04518DFAA96180"), .run("tag info"),
        .take, .run("pay 1 --timeout 0"), .put, .run("close"), .run("read"),
        .run("demo --reissue"), .run("keys rotate"), .run("add 3"), .run("pay 1"),
        .run("tag info --json"), .run("keys list"), .run("audit"),
    ]

    @Test("The output and the exit statuses do not depend on the reader")
    func both() throws {
        let simulated = try Till()
        try simulated.step("init --currency USD")
        let emulated = try EmulatedTill()
        let one = try tell(on: simulated) { step in
            switch step {
            case .take: try simulated.step("sim take")
            case .put: try simulated.step("sim put")
            case .new(let chip): try simulated.step("sim put \(chip)")
            case .first: try simulated.step("sim put \(Till.firstUID)")
            case .run: break
            }
        }
        let two = try tell(on: emulated.till) { step in
            switch step {
            case .take: emulated.tell("remove")
            case .put: emulated.tell("present")
            case .new(let chip): emulated.tell("present \(chip)")
            case .first: emulated.tell("present \(Till.firstUID)")
            case .run: break
            }
        }
        #expect(one.count == two.count)
        for (one, two) in zip(one, two) {
            #expect(one == two, "tapcard \(one.line)")
        }
        // A story in which everything failed would be the same, too.
        #expect(one.count { $0.status == 0 } > 60)
    }

    @Test("Every command that works on a card is part of the story")
    func whole() throws {
        let help = try Till().run(["help", "--markdown"]).output
        let verbs = help.matches(of: /(?m)^## tapcard (.+)$/).map { String($0.output.1) }
        #expect(verbs.count > 20)
        let lines = Self.story.compactMap { step -> String? in
            if case .run(let line) = step { line } else { nil }
        }
        // What works on the ledger, the keys, the reader, a service or a page has tests of its own.
        let others = [
            "init", "config", "schema", "backup", "restore-backup", "completions", "keys", "sim",
            "emulate", "readers", "doctor", "tag restore", "activate", "draws", "ticket",
            "mastermind", "sandbox", "takings", "serve", "cashiers", "ledger", "servers",
            "offline", "watch", "tokens", "products", "report", "export", "find", "tills", "reader",
        ]
        for verb in verbs where !others.contains(where: verb.hasPrefix) {
            #expect(lines.contains { $0 == verb || $0.hasPrefix(verb + " ") }, "\(verb)")
        }
    }

    private func tell(
        on till: Till, _ change: (Step) throws -> Void
    ) throws -> [Told] {
        try Self.story.compactMap { step in
            guard case .run(let line) = step else {
                try change(step)
                return nil
            }
            let ended = try till.runPatiently(line)
            return Told(
                line: line, status: ended.status, output: masked(ended.output, till),
                errors: masked(ended.errors, till))
        }
    }

    /// New tags have random UIDs, on which their records depend, and the simulated reader keeps its
    /// books in its own folder.
    private func masked(_ text: String, _ till: Till) -> String {
        till.masked(text.replacing(till.data, with: "<data>"))
            .replacing(/\b04[0-9A-F]{12}\b/) { match in
                match.output == Till.firstUID ? String(match.output) : "<uid>"
            }
            .replacing(/(?m)^(page .*|till: .*|uid: .*|signature: .*)$/, with: "<memory>")
    }
}
