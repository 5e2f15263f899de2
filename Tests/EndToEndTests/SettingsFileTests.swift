import Glibc
import OperatingSystem
import TestSupport
import Testing

@Suite("The settings file", .ownThread)
struct SettingsFileTests {
    private func path(_ till: Till) -> String {
        till.file(".config/tapcard/simulated/config.json")
    }

    @Test("A setting can be read and written without touching the others")
    func getAndSet() throws {
        let till = try Till()
        try till.step("config set timeout 60")
        try till.step("config set json false")
        try till.step("config set cashier Ann")
        #expect(try till.step("config get timeout") == "60")
        let text = try till.text(of: path(till))
        #expect(text.contains(#""json": false"#) && text.contains(#""timeout": "60""#), "\(text)")
        try till.step("config set timeout")
        #expect(try till.step("config get timeout") == "30")
        #expect(try till.step("config get cashier") == "Ann")
        try till.expect(
            "config set timeout 5",
            prints: """
                timeout set to 5 in ~/.config/tapcard/simulated/config.json
                For now, TAPCARD_TIMEOUT overrides it: 7
                """, with: ["TAPCARD_TIMEOUT": "7"])
    }

    @Test(
        "An invalid setting is refused, and the file is left unchanged",
        arguments: [
            "currency XYZ", "json maybe", "reader usb", "ledger /there", "lottery-url x",
            "mastermind-password x",
        ])
    func refused(line: String) throws {
        let till = try Till()
        try till.step("config set timeout 60")
        let before = try till.text(of: path(till))
        let ended = try till.run(["config", "set"] + till.words(of: line))
        #expect(ended.status == 2, "\(ended.errors)")
        #expect(try till.text(of: path(till)) == before)
    }

    @Test("An unknown setting or variable gives a warning and is ignored")
    func unknown() throws {
        let till = try Till()
        try till.write(#"{"time-out":5,"timeout":7}"#, to: path(till))
        try till.expect(
            "config get timeout", prints: "7",
            complains:
                #""time-out" in ~/.config/tapcard/simulated/config.json is not a known setting "#
                + "and is ignored. Did you mean timeout?\n"
                + "tapcard: The variable TAPCARD_READRE is not a known setting and is ignored. "
                + "Did you mean TAPCARD_READER?",
            with: ["TAPCARD_READRE": "sim"])
        try till.expect("config get timeout --quiet")
    }

    @Test("A broken link in place of settings, keys or ledger is refused")
    func danglingLinks() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        try till.write("{}", to: path(till))
        for (file, status) in [(path(till), Int32(2)), (till.keys, 1), (till.ledger, 9)] {
            try #require(unsafe rename(file, file + ".away") == 0)
            try #require(unsafe symlink(till.file("not/mounted"), file) == 0)
            let ended = try till.run(["pay", "1"])
            #expect(ended.status == status, "\(file): \(ended.errors)")
            #expect(ended.errors.contains("is a link to a missing file"), "\(ended.errors)")
            #expect(unsafe access(till.file("not"), F_OK) != 0)
            try #require(unsafe rename(file + ".away", file) == 0)
        }
        #expect(try till.step("pay 1").hasPrefix("Paid $1.00, $19.00 left\n"))
    }

    @Test("Writing a setting keeps a symbolic link to the settings file")
    func link() throws {
        let till = try Till()
        try till.write("{}", to: till.file("kept.json"))
        try till.write("", to: path(till))
        try DurableFile(path(till)).remove()
        try #require(unsafe symlink(till.file("kept.json"), path(till)) == 0)
        try till.step("config set timeout 60")
        #expect(try till.text(of: till.file("kept.json")).contains("60"))
        #expect(try till.step("config get timeout") == "60")
    }

    @Test("A payment limit in the settings file is enforced")
    func amounts() throws {
        let till = try Till()
        try till.step("issue --balance 50")
        try till.step("config set payment-limit 10")
        let ended = try till.run(["pay", "11", "--yes"])
        #expect(ended.status == 4 && ended.errors.contains("limit of $10.00"), "\(ended.errors)")
        #expect(try till.step("pay 10").hasPrefix("Paid $10.00, $40.00 left\n"))
        let bad = try till.run(["pay", "1"], with: ["TAPCARD_PAYMENT_LIMIT": "much"])
        #expect(bad.status == 2 && bad.errors.contains("TAPCARD_PAYMENT_LIMIT"), "\(bad.errors)")
    }
}
