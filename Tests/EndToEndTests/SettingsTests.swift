import TestSupport
import Testing

@Suite("Settings from flags, variables and files", .ownThread)
struct SettingsTests {
    @Test("A flag overrides a variable, which overrides the settings file")
    func precedence() throws {
        let till = try Till()
        let folder = till.file("settings")
        try till.write(
            #"{"timeout":7,"payment-lifetime":"60","currency":"EUR","json":true,"reader":"x","#
                + #""ticket-price":"1.50"}"#,
            to: "\(folder)/tapcard/simulated/config.json")
        let variables = [
            "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": till.file("data"),
            "TAPCARD_TIMEOUT": "5", "TAPCARD_JSON": "no", "TAPCARD_CASHIER": "Ann",
            "TAPCARD_QUIET": "", "TAPCARD_LOTTERY_URL": "http://127.0.0.1:9/lottery",
            "TAPCARD_MASTERMIND_PASSWORD": "never shown",
        ]
        let shown = try till.run(["config", "--timeout", "3", "--no-color"], with: variables)
        #expect(shown.status == 0 && shown.errors == "", "\(shown)")
        for row in [
            "reader                     variable         sim",
            "ledger                     default          ~/data/tapcard/simulated/ledger.sqlite",
            "currency                   file             EUR",
            "timeout                    flag             3",
            "cashier                    variable         Ann",
            "payment-lifetime           file             60",
            "activation-url             default          https://api.o2.sk",
            "lottery-url                variable         http://127.0.0.1:9/lottery",
            "ticket-price               file             1.50",
            "json                       variable         no",
            "quiet                      default          false",
            "no-color                   flag             true",
            "data                       XDG_DATA_HOME    ~/data/tapcard/simulated",
            "keys                       XDG_DATA_HOME    ~/data/tapcard/simulated/keys.json",
            "settings-file              XDG_CONFIG_HOME  "
                + "~/settings/tapcard/simulated/config.json",
        ] {
            #expect(till.masked("\n\(shown.output)").contains("\n\(row)\n"), "\(shown.output)")
        }
        #expect(!shown.output.contains("never shown"))
        #expect(
            shown.output.hasSuffix(
                "This is a simulation with play money, separate from the real ledger\n"))
        #expect(try till.step("config --json").hasSuffix(#","simulated":true}"#))
        let unset = try till.run(["config"], with: ["TAPCARD_READER": nil])
        #expect(
            unset.output.hasPrefix(
                "reader                     default  first usable reader\n"))
        let document = try till.run(["config", "--json"], with: ["TAPCARD_READER": nil])
        #expect(document.output.contains(#"{"name":"reader","value":null,"from":"default"}"#))
    }

    @Test("The simulation and the ledger can each be a named file")
    func files() throws {
        let till = try Till()
        let line = "--reader sim:\(till.file("s.txt")) --ledger \(till.file("l.sqlite"))"
        try till.step("\(line) issue --balance 3")
        try till.step("sim put NTAG216 --reader sim:\(till.file("s.txt"))")
        #expect(try till.step("\(line) sim list").split(separator: "\n").count == 2)
        #expect(try till.step("sim list").split(separator: "\n").count == 1)
        #expect(try till.step("\(line) audit").hasPrefix("Cards: 1; operations: 1; "))
        try till.expect(
            "sim list --reader pcsc:usb", status: 2,
            complains:
                #""pcsc:usb" is not a simulated reader. Nothing was done. Use --reader sim, or "#
                + "sim:FILE.")
    }

    @Test(
        "An invalid setting is refused from a flag, a variable or the file",
        arguments: [
            (
                "timeout", "1e3",
                #""1e3" is not a valid timeout: use a number of seconds from 0 to 86400."#
            ),
            (
                "timeout", "86401",
                #""86401" is not a valid timeout: use a number of seconds from 0 to 86400."#
            ),
            (
                "payment-lifetime", "nan",
                #""nan" is not a valid payment-lifetime: use a number of seconds from 0 to 86400."#
            ),
            ("currency", "XYZ", #""XYZ" is not a valid currency."#),
            ("json", "maybe", #""maybe" is not valid for json."#),
        ])
    func values(name: String, value: String, complaint: String) throws {
        let till = try Till()
        let variable = "TAPCARD_" + name.uppercased().replacing("-", with: "_")
        var runs = [try till.run(["audit"], with: [variable: value])]
        if name != "json" { runs.append(try till.run(["audit", "--\(name)", value])) }
        try till.write(
            #"{"\#(name)":"\#(value)"}"#, to: till.file(".config/tapcard/simulated/config.json"))
        runs.append(try till.run(["audit"]))
        for ended in runs {
            #expect(ended.status == 2)
            #expect(ended.output == "")
            #expect(ended.errors.hasPrefix("tapcard: \(complaint) Nothing was done."))
        }
    }

    @Test(
        "A settings file that cannot be parsed is refused",
        arguments: [
            ("timeout = 5", nil), (#"{"timeout":5"#, nil),
            ("[]", "the file must contain a JSON object"),
            (#"{"timeout":[5]}"#, #""timeout" must be text, a number, true, or false"#),
            (#"{"json":null}"#, #""json" must be text, a number, true, or false"#),
        ])
    func file(text: String, reason: String?) throws {
        let till = try Till()
        try till.write(text, to: till.file(".config/tapcard/simulated/config.json"))
        let ended = try till.run(["config"])
        #expect(ended.status == 2)
        let start =
            "tapcard: The settings in ~/.config/tapcard/simulated/config.json cannot be used: "
        let errors = till.masked(ended.errors)
        #expect(errors.hasPrefix(start + (reason ?? "")))
        #expect(errors.hasSuffix(". Nothing was done. Fix the file or remove it.\n"))
    }

    @Test("Quiet prints only errors, and verbose reveals no secret")
    func talking() throws {
        let till = try Till()
        try till.step("issue --balance 20 --name Ann --id 424242424")
        for line in ["pay 1 --quiet", "read -q", "history --quiet", "audit -q"] {
            try till.expect(line)
        }
        #expect(
            try till.run(["pay", "99", "--quiet"]).errors
                .hasPrefix("tapcard: The balance is too low"))
        let scratched = try till.run(["scratch", "--verbose", "--json"])
        let code = try #require(scratched.output.firstMatch(of: /"code":"([^"]+)"/)).output.1
        #expect(scratched.output.split(separator: "\n").count == 1)
        let tear = try till.run(["sim", "tear", "2", "killed-before"])
        #expect(tear.status == 0)
        #expect(try till.run(["pay", "1", "-v"]).status == 137)
        let resolved = try till.run(["read", "-v"])
        #expect(resolved.errors.contains("tapcard: resolving operation "))
        let keys = try till.text(of: till.keys).matches(of: /[0-9a-fA-F]{64}/)
        #expect(keys.count == 2)
        for log in [scratched.errors, resolved.errors] {
            #expect(!log.contains(code))
            #expect(!log.contains("Ann"))
            #expect(!log.contains("424242424"))
            for key in keys { #expect(!log.contains(key.output)) }
        }
    }
}
