import Testing

@Suite("Settings", .ownThread)
struct SettingsTests {
    @Test("a flag beats a variable beats the file")
    func precedence() throws {
        let counter = try Counter()
        let folder = counter.file("settings")
        try counter.write(
            #"{"timeout":7,"payment-lifetime":"60","currency":"EUR","json":true,"reader":"x","#
                + #""ticket-price":"1.50"}"#,
            to: "\(folder)/tapcard/simulated/config.json")
        let variables = [
            "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": counter.file("data"),
            "TAPCARD_TIMEOUT": "5", "TAPCARD_JSON": "no", "TAPCARD_CASHIER": "Ann",
            "TAPCARD_QUIET": "", "TAPCARD_LOTTERY_URL": "http://127.0.0.1:9/lottery",
            "TAPCARD_MASTERMIND_PASSWORD": "never shown",
        ]
        try counter.expect(
            "config --timeout 3 --no-color",
            prints: """
                reader                     variable         sim
                ledger                     built in         ~/data/tapcard/simulated/ledger.sqlite
                currency                   file             EUR
                timeout                    flag             3
                cashier                    variable         Ann
                payment-lifetime           file             60
                activation-url             built in         https://api.o2.sk
                lottery-url                variable         http://127.0.0.1:9/lottery
                mastermind-url             built in         http://emarest.cz.mass-php-1.mit.etn.cz/api/v2
                ca-file                    built in         none
                ticket-price               file             1.50
                prizes                     built in         6=top 5+bonus=100000 5=1750 4=140 3=30
                top-prize-unit             built in         whole
                lottery-balls              built in         6
                lottery-highest            built in         59
                confirm-payment-above      built in         100.00
                confirm-addition-above     built in         200.00
                confirm-balance-above      built in         500.00
                payment-limit              built in         10000.00
                addition-limit             built in         20000.00
                balance-limit              built in         50000.00
                offline-purchases          built in         false
                offline-card-limit         built in         10.00
                offline-station-limit      built in         500.00
                offline-snapshot-age       built in         14400
                presets                    built in         1.00 2.50 5.00 10.00
                addition-presets           built in         5.00 10.00 20.00 50.00
                card-address               built in         none
                customers                  built in         none
                customers-name             built in         none
                customers-tls-certificate  built in         none
                customers-tls-key          built in         none
                customers-keys             built in         none
                json                       variable         no
                quiet                      built in         false
                verbose                    built in         false
                no-color                   flag             true
                data                       XDG_DATA_HOME    ~/data/tapcard/simulated
                keys                       XDG_DATA_HOME    ~/data/tapcard/simulated/keys.json
                settings-file              XDG_CONFIG_HOME  ~/settings/tapcard/simulated/config.json
                The reader is simulated: play money, apart from the real books
                """, with: variables)
        let unset = try counter.run(["config"], with: ["TAPCARD_READER": nil])
        #expect(
            unset.output.hasPrefix(
                "reader                     built in  the first that is plugged in\n"))
        let document = try counter.run(["config", "--json"], with: ["TAPCARD_READER": nil])
        #expect(document.output.contains(#"{"name":"reader","value":null,"from":"built in"}"#))
    }

    @Test("a simulation and a ledger in files of their own")
    func files() throws {
        let counter = try Counter()
        let line = "--reader sim:\(counter.file("s.txt")) --ledger \(counter.file("l.sqlite"))"
        try counter.step("\(line) issue --balance 3")
        try counter.step("sim put NTAG216 --reader sim:\(counter.file("s.txt"))")
        #expect(try counter.step("\(line) sim list").split(separator: "\n").count == 2)
        #expect(try counter.step("sim list").split(separator: "\n").count == 1)
        #expect(try counter.step("\(line) audit").hasPrefix("Cards: 1, operations: 1, "))
        try counter.expect(
            "sim list --reader usb", status: 2,
            complains: #""usb" is not a valid reader name. Nothing was done. Write sim, sim:FILE, "#
                + "pcsc:NAME or a name of libnfc's such as pn532_uart:/dev/ttyUSB0; tapcard "
                + "readers lists what is there.")
        try counter.expect(
            "sim list --reader pcsc:usb", status: 2,
            complains:
                #""pcsc:usb" is not a simulated reader. Nothing was done. Use --reader sim, or "#
                + "sim:FILE.")
    }

    @Test(
        "a setting that makes no sense is refused, wherever it stands",
        arguments: [
            ("timeout", "soon", #""soon" is not a valid timeout: write seconds, from 0 to 86400."#),
            ("timeout", "-1", #""-1" is not a valid timeout: write seconds, from 0 to 86400."#),
            ("timeout", "1e3", #""1e3" is not a valid timeout: write seconds, from 0 to 86400."#),
            (
                "timeout", "86401",
                #""86401" is not a valid timeout: write seconds, from 0 to 86400."#
            ),
            ("timeout", ".", #""." is not a valid timeout: write seconds, from 0 to 86400."#),
            (
                "payment-lifetime", "nan",
                #""nan" is not a valid payment-lifetime: write seconds, from 0 to 86400."#
            ),
            ("currency", "XYZ", #""XYZ" is not a valid currency."#),
            ("json", "maybe", #""maybe" is not a valid value of json."#),
        ])
    func values(name: String, value: String, complaint: String) throws {
        let counter = try Counter()
        let variable = "TAPCARD_" + name.uppercased().replacing("-", with: "_")
        var runs = [try counter.run(["audit"], with: [variable: value])]
        if name != "json" { runs.append(try counter.run(["audit", "--\(name)", value])) }
        try counter.write(
            #"{"\#(name)":"\#(value)"}"#, to: counter.file(".config/tapcard/simulated/config.json"))
        runs.append(try counter.run(["audit"]))
        for ended in runs {
            #expect(ended.status == 2)
            #expect(ended.output == "")
            #expect(ended.errors.hasPrefix("tapcard: \(complaint) Nothing was done."))
        }
    }

    @Test(
        "a file of settings that cannot be understood is refused",
        arguments: [
            ("timeout = 5", nil), (#"{"timeout":5"#, nil), ("[]", "they are no JSON object"),
            (#"{"timeout":[5]}"#, #""timeout" is neither text nor number, true nor false"#),
            (#"{"json":null}"#, #""json" is neither text nor number, true nor false"#),
        ])
    func file(text: String, reason: String?) throws {
        let counter = try Counter()
        try counter.write(text, to: counter.file(".config/tapcard/simulated/config.json"))
        let ended = try counter.run(["config"])
        #expect(ended.status == 2)
        let start =
            "tapcard: The settings in ~/.config/tapcard/simulated/config.json cannot be used: "
        let errors = counter.masked(ended.errors)
        #expect(errors.hasPrefix(start + (reason ?? "")))
        #expect(errors.hasSuffix(". Nothing was done. Fix the file or remove it.\n"))
    }

    @Test("quiet says nothing but what is wrong, verbose says every step and no secret")
    func talking() throws {
        let counter = try Counter()
        try counter.step("issue --balance 20 --name Ann --id 424242424")
        for line in ["pay 1 --quiet", "read -q", "history --quiet", "audit -q"] {
            try counter.expect(line)
        }
        #expect(
            try counter.run(["pay", "99", "--quiet"]).errors
                .hasPrefix("tapcard: Not enough on the card"))
        try counter.expect(
            "pay 1 -v",
            prints: """
                Paid $1.00, $18.00 left
                Card 04AC6B72BA6C80, operation <uuid>
                """,
            complains: """
                waiting for a card
                tapcard: card 04AC6B72BA6C80 is on the reader
                tapcard: writing the record
                tapcard: operation <uuid> is committed
                """)
        let scratched = try counter.run(["scratch", "--verbose", "--json"])
        let code = try #require(scratched.output.firstMatch(of: /"code":"([^"]+)"/)).output.1
        #expect(scratched.output.split(separator: "\n").count == 1)
        let tear = try counter.run(["sim", "tear", "2", "killed-before"])
        #expect(tear.status == 0)
        #expect(try counter.run(["pay", "1", "-v"]).status == 137)
        let settled = try counter.run(["read", "-v"])
        #expect(settled.errors.contains("tapcard: settling operation "))
        let keys = try counter.text(of: counter.keys).matches(of: /[0-9a-fA-F]{64}/)
        #expect(keys.count == 2)
        for log in [scratched.errors, settled.errors] {
            #expect(!log.contains(code))
            #expect(!log.contains("Ann"))
            #expect(!log.contains("424242424"))
            for key in keys { #expect(!log.contains(key.output)) }
        }
    }
}
