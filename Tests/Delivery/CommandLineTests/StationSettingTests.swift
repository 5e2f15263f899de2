import Ledger
import Testing
import TextCodecs

@Suite("Settings of a station")
struct StationSettingTests {
    /// A reader that is never opened here, so that the settings are those of a real station.
    private static let real = ["TAPCARD_READER": "pcsc:none"]

    @Test("Built-in amounts are shown in the station's currency")
    func builtIn() async throws {
        let bench = try ProgramBench()
        #expect(await bench.run("config get payment-limit").text == "10000.00\n")
        #expect(await bench.run("config get currency").text == "USD\n")
        let crowns = ["TAPCARD_CURRENCY": "CZK"]
        #expect(await bench.run("config get confirm-payment-above", crowns).text == "2000.00\n")
        let document = try await bench.document(
            "config get top-up-presets", ["TAPCARD_CURRENCY": "JPY"])
        #expect(document["value"]?.string == "500 1000 2000 5000")
        let all = await bench.run("config", crowns).text
        #expect(all.contains("  200000.00\n"), "\(all)")
        #expect(!all.contains("depends on the currency"))
    }

    @Test("The ledger decides the currency, and a setting that differs is reported")
    func ledgerCurrency() async throws {
        let bench = try ProgramBench()
        try bench.write("", to: "ledger.sqlite")
        #expect(await bench.run("config").text.contains("\ncurrency                   ledger"))
        let other = await bench.run("config", ["TAPCARD_CURRENCY": "EUR"]).text
        #expect(
            other.contains(
                "The ledger's currency is USD, but the setting says EUR; cards are refused until"),
            "\(other)")
        #expect(other.contains("unset TAPCARD_CURRENCY"), "\(other)")
        let refused = await bench.run("config set currency EUR")
        #expect(
            refused.status == 2
                && refused.text.contains("This ledger's currency is USD and cannot be changed."))
        #expect(await bench.run("config set currency usd").status == 0)
    }

    @Test("A station without a ledger says how to create one with its reader")
    func noLedger() async throws {
        let bench = try ProgramBench()
        let failures = ProgramBench.Failures(ledger: LedgerError(.unavailable, "there is none"))
        let fresh = await bench.run("--reader sim history", failing: failures)
        #expect(
            fresh.text.contains(
                "The first simulated card creates it. To make the demo card, run: tapcard --reader "
                    + "sim demo"))
        let real = await bench.run("history", failing: failures, StationSettingTests.real)
        #expect(real.text.contains("tapcard init --currency EUR"), "\(real.text)")
        _ = await bench.run("demo")
        for line in ["pay 1", "audit"] {
            let lost = await bench.run(line, failing: failures)
            #expect(
                lost.status == 9 && lost.text.contains("This machine has keys, but"), "\(lost.text)"
            )
            #expect(lost.text.contains("Check the path, and that its disk is mounted. "))
            #expect(lost.text.hasSuffix("not know the cards issued so far, run: tapcard init\n"))
        }
    }

    @Test("A ledger in another currency is refused with the way to correct the setting")
    func otherCurrency() async throws {
        let bench = try ProgramBench()
        let failures = ProgramBench.Failures(
            ledger: LedgerError(.wrongCurrency, "l is kept in USD, not in EUR"))
        let variable = await bench.run("pay 1", failing: failures, ["TAPCARD_CURRENCY": "EUR"])
        #expect(variable.status == 9 && variable.text.hasSuffix("unset TAPCARD_CURRENCY\n"))
        try bench.set(#"{"currency":"EUR"}"#)
        let file = await bench.run("pay 1", failing: failures)
        #expect(file.text.hasSuffix("; remove it there: tapcard config set currency\n"))
        let flag = await bench.run("pay 1 --currency EUR", failing: failures)
        #expect(
            flag.text.hasSuffix(
                " The currency comes from the command line; leave out --currency.\n"),
            "\(flag.text)")
    }

    @Test(
        "An invalid amount is refused when it is set, and nothing is stored",
        arguments: [
            ("payment-limit 1.005", "USD", "too many decimal places; USD has 2."),
            ("top-up-presets abc", "EUR", "4.50"), ("ticket-price 2,5", "USD", "enter 2.5"),
            ("confirm-payment-above 20000", "USD", "above payment-limit 10000.00"),
            ("confirm-top-up-above 30000", "USD", "above top-up-limit 20000.00"),
        ])
    func refused(words: String, currency: String, reason: String) async throws {
        let bench = try ProgramBench()
        let ended = await bench.run("config set " + words, ["TAPCARD_CURRENCY": currency])
        #expect(ended.status == 2 && ended.text.contains(reason), "\(ended.text)")
        #expect(!ended.text.contains("4.500"))
        #expect(await bench.run("read", ["TAPCARD_CURRENCY": currency]).status != 2)
    }

    @Test("A decimal comma is accepted for a currency that uses one and stored as a point")
    func comma() async throws {
        let bench = try ProgramBench()
        let euros = ["TAPCARD_CURRENCY": "EUR"]
        for (name, typed, kept) in [
            ("confirm-payment-above", "20,50", "20.50"), ("ticket-price", "1,50", "1.50"),
        ] {
            let ended = await bench.run("config set \(name) \(typed)", euros)
            #expect(ended.status == 0, "\(ended.text)")
            #expect(await bench.run("config get \(name)").text == kept + "\n")
        }
    }

    @Test("A limit below its confirmation threshold is refused, whichever is set first")
    func order() async throws {
        let bench = try ProgramBench()
        #expect(await bench.run("config set payment-limit 50").status == 0)
        let above = await bench.run("config set confirm-payment-above 60")
        #expect(above.status == 2)
        #expect(
            above.text
                == "! tapcard: The setting confirm-payment-above 60.00 would never apply, because "
                + "it is above payment-limit 50.00. Nothing was changed. Lower it, or raise "
                + "the limit first.\n")
        #expect(await bench.run("config set confirm-payment-above 50").status == 0)
        #expect(await bench.run("config set payment-limit 40").status == 2)
        #expect(await bench.run("config set confirm-payment-above").status == 0)
        #expect(await bench.run("config set payment-limit 40").status == 0)
    }

    @Test("An invalid setting can be removed while another one is invalid")
    func takenOut() async throws {
        let bench = try ProgramBench()
        try bench.set(#"{"payment-limit":"1.005","top-up-presets":"x"}"#)
        #expect(await bench.run("pay 1").status == 2)
        #expect(await bench.run("config set payment-limit").status == 0)
        #expect(await bench.run("config set top-up-presets").status == 0)
        #expect(await bench.run("config").status == 0)
    }

    @Test("A relative ledger path is refused as a setting but accepted as an option")
    func relativeLedger() async throws {
        let bench = try ProgramBench()
        let ended = await bench.run("config set ledger foo", StationSettingTests.real)
        #expect(ended.status == 2)
        #expect(
            ended.text.contains(
                #"The path "foo" is relative, so the ledger would depend on"#),
            "\(ended.text)")
        let variable = StationSettingTests.real.merging(["TAPCARD_LEDGER": "foo"]) { $1 }
        #expect(await bench.run("audit", variable).status == 2)
        #expect(await bench.run("--ledger foo audit", StationSettingTests.real).status != 2)
    }

    @Test("A simulated reader has its own ledger and warns if a real one is named")
    func simulated() async throws {
        let bench = try ProgramBench()
        let named = await bench.run("config get ledger", ["TAPCARD_LEDGER": "/shop/l.sqlite"]).text
        #expect(
            named.hasPrefix(
                "! tapcard: TAPCARD_LEDGER is ignored, because a simulated reader keeps"))
        #expect(named.hasSuffix("\n~/tapcard/simulated/ledger.sqlite\n"), "\(named)")
        let data = await bench.run("config get keys", ["TAPCARD_DATA": "/shop"])
        #expect(data == ProgramBench.Ended(status: 0, text: "/shop/simulated/keys.json\n"))
        let flag = await bench.run("--ledger /shop/l.sqlite config").text
        #expect(
            flag.hasPrefix(
                "! tapcard: warning: a simulated reader is being used with the real ledger "
                    + "/shop/l.sqlite."))
        #expect(!flag.contains("play money"), "\(flag)")
        #expect(
            await bench.run("config").text.contains("play money, separate from the real ledger"))
    }

    @Test("An unknown setting is refused with the nearest known name")
    func unknown() async throws {
        let bench = try ProgramBench()
        let ended = await bench.run("config get paymentlimit")
        #expect(
            ended.text
                == #"! tapcard config get does not accept "paymentlimit" for KEY; did you mean "#
                + "payment-limit? See: tapcard config get --help\n")
        #expect(await bench.run("config get settings-file").text.hasSuffix("/config.json\n"))
        #expect(await bench.run("config set keys /x").status == 2)
    }

    @Test("Importing an older copy of the keys does not restore a retired key")
    func retiredKey() async throws {
        let bench = try ProgramBench()
        _ = await bench.run("keys list")
        let copy = bench.path(of: "copy.json")
        #expect(await bench.run("keys export \(copy)").status == 0)
        #expect(await bench.run("keys rotate").status == 0)
        #expect(await bench.run("keys retire 1 --for-ever").status == 0)
        #expect(
            await bench.run("keys import \(copy)").text
                == "Keys imported: 0; new records are sealed with key 2\nKey 1 is retired here and "
                + "stays retired\n")
        #expect(await bench.run("keys list").text.contains("key 1  retired "))
    }

    @Test("Setting the reader names the file and the variable that overrides it")
    func reader() async throws {
        let bench = try ProgramBench()
        let text = await bench.run("config set reader sim").text
        #expect(
            text == """
                reader set to sim in ~/tapcard/simulated/config.json
                For now, TAPCARD_READER overrides it: sim
                Without TAPCARD_READER, the settings in ~/tapcard/config.json apply; they were not \
                changed

                """)
    }
}
