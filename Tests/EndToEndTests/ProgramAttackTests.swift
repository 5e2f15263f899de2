import Glibc
import OperatingSystem
import TestSupport
import Testing

/// Tags, files and ledgers are changed with other tools than tapcard. docs/SECURITY.md lists every
/// attack.
@Suite("Attacks on tags, files and the ledger", .ownThread)
struct ProgramAttackTests {
    /// Sequences that would color or clear the screen, move the cursor or reverse the text.
    static let injections = ["\u{1B}[31m", "\u{1B}[2J", "\u{9B}2J", "\r", "\u{8}", "\u{202E}"]

    @Test("Control characters on a tag never reach the terminal", arguments: injections)
    func wordsOnTags(_ injection: String) throws {
        let escaped = injection.unicodeScalars.map { scalar in
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
        let app = #"{"firstName":"A\#(escaped)","lastName":"B","accountValue":1,"id":1}"#
        let messages: [(Character, [UInt8])] = [
            ("T", Array(app.utf8)),
            (
                "T",
                [0x02] + Array("en".utf8) + Array(#"{"balance":1.00,"name":"\#(escaped)"}"#.utf8)
            ),
            ("T", [0x02] + Array("en\(injection)".utf8)),
            ("U", [0x04] + Array("example.org/\(injection)".utf8)),
        ]
        let till = try Till()
        try till.step("sim put")
        for (type, payload) in messages {
            try till.simulation.write(SimulationFileText.message(type, payload))
            for line in ["read", "pay 1", "adopt", "tag info", "demo", "doctor --reader sim"] {
                let ended = try till.run(till.words(of: line))
                expectHarmless(ended, "\(line): \(type)")
            }
        }
        #expect(try till.step("audit --json").contains(#""cards":0,"#))
    }

    @Test(
        "Control characters in files and arguments never reach the terminal", arguments: injections)
    func wordsInFiles(_ injection: String) throws {
        let till = try Till()
        let dumps = [
            "tapcard tag 1\nchip: NT\(injection)AG213\n", "tapcard tag 1\n\(injection): 1\n",
            "\(injection)", "tapcard tag 1\nchip: NTAG213\nuid: 04\(injection)\n",
        ]
        for dump in dumps {
            try till.write(dump, to: till.file("dump"))
            expectHarmless(try till.run(["tag", "restore", till.file("dump")]), "dump")
            expectHarmless(try till.run(["keys", "import", till.file("dump")]), "keys")
            expectHarmless(try till.run(["restore-backup", till.file("dump")]), "backup")
        }
        let escaped =
            "\\u"
            + (injection.unicodeScalars.first.map { scalar in
                let digits = String(scalar.value, radix: 16)
                return String(repeating: "0", count: 4 - digits.count) + digits
            } ?? "")
        for settings in [
            #"{"reader":"\#(escaped)"}"#, #"{"re\#(escaped)ader":"sim"}"#,
            #"{"ledger":"/tmp/\#(escaped)/x"}"#, #"{"currency":"\#(escaped)"}"#, escaped,
        ] {
            try till.write(settings, to: "\(till.home)/.config/tapcard/config.json")
            for line in ["config", "read", "readers"] {
                expectHarmless(try till.run([line], with: ["TAPCARD_READER": nil]), "\(line)")
            }
        }
        try till.write("{}", to: "\(till.home)/.config/tapcard/config.json")
        for words in [
            [injection], ["tag", "restore", injection],
            ["--ledger", till.file(injection), "read"],
        ] {
            expectHarmless(try till.run(words), "words")
        }
    }

    @Test("Ledger, keys and backups are closed to other users")
    func otherUsers() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        try till.step("backup ~/copy")
        try till.step("keys export ~/keys.json")
        try till.step("tag dump ~/dump")
        for folder in [
            ".local", ".local/share", ".local/share/tapcard", ".local/share/tapcard/simulated",
        ] {
            #expect(try DurableFile(till.file(folder)).permissions() == 0o700, "\(folder)")
        }
        for path in [
            till.ledger, till.keys, till.simulation.path, till.file("copy"),
            till.file("keys.json"),
        ] {
            #expect(try DurableFile(path).permissions() == 0o600, "\(path)")
        }
    }

    @Test("A ledger or data folder that others can write to is refused")
    func writable() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        for mode: UInt32 in [0o620, 0o602, 0o666] {
            try till.setMode(of: till.ledger, mode)
            for line in ["pay 1", "history", "audit"] {
                let ended = try till.run(till.words(of: line))
                #expect(ended.status == 9, "\(line)")
                #expect(
                    till.masked(ended.errors).hasPrefix(
                        "tapcard: Other users can write to the ledger at "
                            + "~/.local/share/tapcard/simulated/ledger.sqlite (mode "
                            + "\(String(mode, radix: 8)))."
                    ), "\(ended.errors)")
            }
        }
        try till.setMode(of: till.ledger, 0o600)
        try till.setMode(of: till.data, 0o770)
        let folder = try till.run(["pay", "1"])
        #expect(folder.status == 1)
        #expect(
            folder.errors.contains("Other users can write to the data folder at "),
            "\(folder.errors)")
        #expect(folder.errors.contains("nobody has altered anything, run: chmod go-w "))
        try till.setMode(of: till.data, 0o755)
        try till.step("pay 1")
    }

    @Test("Folders and settings files that others can write to are refused")
    func places() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        let other = till.file("other/l.sqlite")
        try till.write("", to: till.file("other/x"))
        try till.setMode(of: till.file("other"), 0o777)
        let elsewhere = try till.run(["--ledger", other, "read"])
        #expect(elsewhere.status == 9)
        #expect(
            till.masked(elsewhere.errors).contains(
                "tapcard: Other users can write to the folder ~/other (mode 777), which contains "
                    + "the ledger. Nothing was done, because anyone who can write there could "
                    + "swap the file. If you are sure that nobody has altered anything, run: "
                    + "chmod go-w ~/other\n"
            ), "\(elsewhere.errors)")
        let above = till.file(".local/share")
        for (mode, status): (UInt32, Int32) in [
            (0o777, 1), (0o773, 1), (0o1777, 0), (0o775, 0), (0o755, 0),
        ] {
            try till.setMode(of: above, mode)
            let ended = try till.run(["pay", "1"])
            #expect(ended.status == status, "\(String(mode, radix: 8)): \(ended.errors)")
        }
        let settings = till.file(".config/tapcard/simulated/config.json")
        for (mode, status) in [(0o666, 2), (0o664, 0), (0o600, 0)] {
            try till.write("{}", to: settings, mode: UInt32(mode))
            let ended = try till.run(["read"])
            #expect(ended.status == status, "\(String(mode, radix: 8)): \(ended.errors)")
        }
    }

    /// Only root can give files away. Root is refused, too, because the owner could no longer read
    /// what root writes there.
    @Test(
        "A folder or file that belongs to another user is refused", .enabled(if: geteuid() == 0))
    func foreign() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        try till.step("config set timeout 5")
        let settings = till.file(".config/tapcard/simulated/config.json")
        for (path, status, what): (String, Int32, String) in [
            (
                till.data, 1,
                "Another user owns the data folder at ~/.local/share/tapcard/simulated."
            ),
            (
                till.ledger, 9,
                "Another user owns the ledger at ~/.local/share/tapcard/simulated/ledger.sqlite."
            ),
            (till.keys, 1, "The key file ~/.local/share/tapcard/simulated/keys.json belongs"),
            (
                settings, 2,
                "The settings file ~/.config/tapcard/simulated/config.json is not used: another "
                    + "user owns it."
            ),
            (till.file(".local"), 1, "Another user owns the folder ~/.local, which contains the "),
        ] {
            try #require(unsafe chown(path, 12_345, 12_345) == 0)
            let ended = try till.run(["pay", "1"])
            #expect(ended.status == status, "\(path): \(ended)")
            #expect(till.masked(ended.errors).contains(what), "\(path): \(ended)")
            try #require(unsafe chown(path, 0, 0) == 0)
        }
        try till.step("pay 1")
    }

    @Test("Edits to the ledger are refused by its triggers or found by the audit")
    func editedLedger() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        try till.step("pay 5")
        let base = try Till(like: till)
        let edits = [
            "UPDATE account SET balance = balance + 500 WHERE name LIKE 'purse:%'",
            "DROP TRIGGER entry_is_final; UPDATE entry SET amount = amount + 500 "
                + "WHERE account LIKE 'purse:%'",
            "DROP TRIGGER entry_stays; DELETE FROM entry WHERE account = 'takings'",
            "DROP TRIGGER operation_ends_once; UPDATE operation SET state = 'voided' "
                + "WHERE kind = 'pay'",
            "DROP TRIGGER card_numbers_never_fall; UPDATE card SET confirmed = 1, allocated = 1",
        ]
        for edit in edits {
            try till.takeFiles(of: base)
            try OpenDatabase(till.ledger).execute(edit)
            let audit = try till.run(["audit"])
            #expect(audit.status == 9, "\(edit)")
            #expect(audit.errors.contains("You cannot rely on the balances."), "\(edit)")
        }
        try till.takeFiles(of: base)
        for edit in [
            "UPDATE entry SET amount = 0", "DELETE FROM entry", "DELETE FROM operation",
            "UPDATE operation SET state = 'pending', ended_at = NULL",
            "UPDATE issued_record SET bytes = zeroblob(16)", "UPDATE card SET confirmed = 0",
        ] {
            #expect(try OpenDatabase(till.ledger).refuses(edit), "\(edit)")
        }
        try till.step("audit")
    }

    @Test("The audit cannot detect balanced entries forged by someone with write access")
    func cookedBooks() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        try OpenDatabase(till.ledger).execute(
            """
            INSERT INTO operation (id, uid, kind, amount, begun_at, state, sequence, ended_at,
                balance_after)
            SELECT '6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60', uid, 'add', 500, begun_at, 'committed', 0,
                ended_at, 2500 FROM operation;
            INSERT INTO entry (operation, account, amount, posted_at)
            SELECT '6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60', account,
                CASE WHEN amount < 0 THEN -500 ELSE 500 END, posted_at FROM entry;
            UPDATE account SET balance =
                (SELECT sum(amount) FROM entry WHERE entry.account = account.name);
            """)
        #expect(try till.step("audit").contains("rules: all hold"))
        #expect(try till.step("read").hasPrefix("No name, $25.00\n"))
    }

    @Test("Locking a card's tag costs the card but no money")
    func locked() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        try till.simulation.set(["page 28": "FF FF 00 BD"])
        #expect(try till.step("tag info").contains("Locked: yes; password: no"))
        // The first is open until the next tap ends it; the second never begins.
        for status in [6, 4] {
            let pay = try till.run(["pay", "5"])
            #expect(pay.status == status && pay.errors.contains("Someone set the tag's lock bits"))
        }
        try till.step("sim put NTAG213")
        let replaced = try till.step("replace --card \(Till.firstUID)")
        #expect(replaced.contains("No name, $20.00"))
        #expect(try till.step("audit").contains("unfinished: none; rules: all hold"))
    }

    /// Expects nothing that a terminal would obey on either stream.
    private func expectHarmless(
        _ ended: Ended, _ label: Comment, location: SourceLocation = #_sourceLocation
    ) {
        let isHarmless = (ended.output + ended.errors).unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "\n", "\t": true
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{202A}"..."\u{202E}",
                "\u{2066}"..."\u{2069}":
                false
            default: true
            }
        }
        let text: Comment = "\(label.rawValue): \(ended.output.debugDescription)"
        #expect(isHarmless, text, sourceLocation: location)
        #expect([0, 1, 2, 3, 4, 5, 7, 9].contains(ended.status), text, sourceLocation: location)
    }
}
