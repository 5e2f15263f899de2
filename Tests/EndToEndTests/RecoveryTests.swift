import Glibc
import OperatingSystem
import TestSupport
import Testing

@Suite("Restoring backups and dumps", .ownThread)
struct RecoveryTests {
    private static let uid = Till.firstUID

    @Test("A card that was not used since the backup keeps working after a restore")
    func quietBackup() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        try till.step("backup ~/copy")
        try till.step("restore-backup ~/copy")
        try till.step("restore-backup ~/copy")
        #expect(
            try till.step("pay 1 --json").contains(
                #""balance":"19.00","currency":"USD","sequence":65538,"#))
    }

    @Test("A restore names the cards that were blocked or replaced after the backup")
    func stoppedSince() throws {
        let uid = RecoveryTests.uid
        let till = try Till()
        try till.step("issue --balance 20")
        try till.step("sim put NTAG215")
        let lost = try till.simulation.uidOnReader()
        try till.step("issue --balance 7")
        try till.step("sim put NTAG216")
        let blocked = try till.simulation.uidOnReader()
        try till.step("issue --balance 5")
        try till.step("block")
        try till.step("backup ~/copy")
        try till.step("sim put \(uid)")
        try till.step("block")
        try till.step("sim put NTAG213")
        try till.step("replace --card \(lost)")
        let restored = try till.step("restore-backup ~/copy")
        #expect(
            restored.contains(
                "\nCard \(lost) was replaced after the backup and has its balance again; to block "
                    + "it, run: tapcard block --card \(lost)"
            ), "\(restored)")
        #expect(
            restored.contains(
                "\nCard \(uid) was blocked after the backup and is active again; to block it, run: "
                    + "tapcard block --card \(uid)"
            ), "\(restored)")
        #expect(!restored.contains(blocked), "the backup has it blocked, too")
        let document = try till.step("restore-backup ~/copy --json")
        #expect(
            document.contains(#""exhausted":[],"stopped":[],"kept":""#), "named once: \(document)")
        for card in [lost, uid] { try till.step("block --card \(card)") }
        let again = try till.step("restore-backup ~/copy --json")
        for card in [lost, uid] {
            #expect(again.contains(#"{"uid":"\#(card)","status":"blocked"}"#), "\(again)")
        }

        // A ledger beyond reading cannot be asked.
        try till.write("junk", to: till.ledger)
        let unread = try till.step("restore-backup ~/copy")
        let word = "Could not find out which cards were blocked or replaced after the backup"
        #expect(unread.contains(word))
        try till.write("junk", to: till.ledger)
        #expect(
            try till.step("restore-backup ~/copy --json").contains(#""stopped":null,"kept":""#))
        try DurableFile(till.ledger).remove()
        #expect(try till.step("restore-backup ~/copy").contains(word))
    }

    @Test("Restoring a dump that lacks pages says how many pages were left unchanged")
    func partialDump() throws {
        let till = try Till()
        try till.step("tag dump ~/whole")
        let lines = try till.text(of: till.file("whole")).split(separator: "\n")
        let without = { (pages: ClosedRange<Int>) in
            lines.map { line in
                guard line.hasPrefix("page "),
                    let page = Int(line.dropFirst(5).prefix(2), radix: 16), pages.contains(page)
                else { return String(line) }
                return line.prefix(9) + "-- -- -- --"
            }.joined(separator: "\n") + "\n"
        }
        try till.write(without(0x10...0x2C), to: till.file("part"))
        #expect(
            try till.step("tag restore ~/part").hasSuffix(
                "\nNot in the dump and left unchanged on the tag: 24 of 36 pages"))
        try till.write(without(4...0x2C), to: till.file("none"))
        try till.expect(
            "tag restore ~/none", status: 1,
            complains:
                "The dump has no user pages, so there is nothing to restore. Nothing was written "
                + "to a tag.")
    }

    @Test("A ledger in use can be backed up but not replaced", arguments: ["watch", "serve"])
    func inUse(verb: String) throws {
        let till = try Till()
        try till.step("issue --balance 20")
        let process = try till.start([verb])
        try process.wait("it has the ledger open") { try process.output.hasSuffix("\n") }
        try till.step("backup ~/copy")
        let refused = try till.run(["restore-backup", till.file("copy"), "--json"])
        #expect(refused.status == 9)
        #expect(refused.output.hasPrefix(#"{"result":"ledger","error":"ledger-locked","#))
        process.signal(SIGTERM)
        #expect(try process.end().status == 0)
        try till.step("restore-backup ~/copy")
    }

    @Test("A file that is no backup is refused, and the ledger is kept")
    func files() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        try till.write("no ledger", to: till.file("bad"))
        let bad = try till.run(["restore-backup", till.file("bad")])
        #expect(bad.status == 9)
        #expect(
            bad.errors.contains(
                "is damaged or is not a ledger backup. The ledger is unchanged."))
        #expect(try till.step("read").hasPrefix("No name, $20.00\n"))
    }

    @Test(
        "A dump can be written and restored in the format of another program",
        arguments: ["flipper", "proxmark"])
    func formats(_ format: String) throws {
        let till = try Till()
        try till.step("demo")
        let before = try till.step("tag dump")
        try till.expect(
            "tag dump ~/card --format \(format)",
            prints: "Dumped NTAG213 \(RecoveryTests.uid) to ~/card")
        let file = try till.text(of: till.file("card"))
        let start = format == "flipper" ? "Filetype: Flipper NFC device\n" : "{\n"
        #expect(file.hasPrefix(start))
        #expect(try till.step("tag dump --format \(format)") + "\n" == file)
        try till.step("tag restore ~/card --overwrite")
        #expect(try till.step("tag dump") == before)
        try till.write(file.replacing("NTAG213", with: "NTAG999"), to: till.file("bad"))
        guard format == "flipper" else { return }
        try till.expect(
            "tag restore ~/bad", status: 1,
            complains:
                "The dump in ~/bad is not valid: line 9: tapcard does not support \"NTAG999\". "
                + "Nothing was written to a tag.")
    }

    @Test("A dump in a format that cannot express the tag is refused")
    func untold() throws {
        let till = try Till()
        let uid = RecoveryTests.uid
        var lines = [
            "tapcard simulation 1", "on-reader: \(uid)", "fault: none", "last-tag: \(uid)",
        ]
        lines += ["", "tapcard tag 1", "chip: Type 2 tag", "uid: \(uid)", "page 00: 04 AC 6B 4B"]
        lines += ["page 01: 72 BA 6C 80", "page 02: 24 48 00 00", "page 03: E1 10 01 00"]
        lines += ["page 04: 03 00 FE 00", "page 05: 00 00 00 00"]
        try till.write(lines.joined(separator: "\n") + "\n", to: till.file("other"))
        let reader = ["--reader", "sim:\(till.file("other"))", "tag", "dump"]
        #expect(try till.run(reader + ["--format", "text"]).status == 0)
        try till.expect(
            reader + ["--format", "flipper", till.file("card")], status: 1,
            complains: """
                A dump in the flipper format cannot represent this: the chip of a Type 2 tag. No dump was made. \
                Use --format text.
                """)
        #expect(try DurableFile(till.file("card")).read() == nil)
        #expect(try till.run(reader + ["--format", "card"]).status == 2)
    }

    @Test("A dump never overwrites a file, and an invalid one or one of another chip is refused")
    func dumps() throws {
        let till = try Till()
        try till.step("tag dump ~/blank")
        try till.expect(
            "tag dump ~/blank", status: 1,
            complains: "The file ~/blank already exists. Nothing was done. Choose another name.")
        #expect(try till.text(of: till.file("blank")) == till.step("tag dump") + "\n")
        try till.write("tapcard tag 1\nchip: NTAG999\n", to: till.file("bad"))
        let bad = try till.run(["tag", "restore", till.file("bad")])
        #expect(bad.status == 1)
        #expect(till.masked(bad.errors).hasPrefix("tapcard: The dump in ~/bad is not valid: "))
        #expect(bad.errors.hasSuffix(" Nothing was written to a tag.\n"))
        try till.step("sim put NTAG215")
        try till.expect(
            "tag restore ~/blank", status: 4,
            complains:
                "The dump comes from the chip model NTAG213, but this tag has NTAG215. Nothing was "
                + "written to the tag. Use a tag with the same chip model as the dump.")
    }
}
