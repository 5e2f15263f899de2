import Ledger
import TapcardDomain
import Testing

@Suite("Completion of known values")
struct KnownValueTests {
    @Test("Readers, currencies, cards and keys are completed with their descriptions")
    func values() async throws {
        let bench = try ProgramBench()
        // Nothing is made for a completion.
        for line in ["pay --card ", "keys retire "] {
            #expect(await bench.complete(line) == .init(status: 0, text: ""), "\(line)")
        }
        #expect(await bench.run("keys list --quiet").text.contains("created the keys"))
        _ = await bench.run("demo --quiet")
        #expect(await bench.complete("--reader ").text == "sim\tsimulated reader\n")
        #expect(await bench.complete("read --reader=").text == "--reader=sim\tsimulated reader\n")
        let currencies = await bench.complete("--currency ").text.split(separator: "\n")
        #expect(currencies.count == Currency.known.count && currencies.first == "USD\t$")
        for line in ["pay 1 --card ", "history --card ", "block --card ", "replace --card "] {
            #expect(await bench.complete(line).text == "04AC6B72BA6C80\tcard\n", "\(line)")
        }
        #expect(await bench.complete("keys retire ").text == "1\tactive\n")
        _ = await bench.run("keys rotate --quiet")
        #expect(await bench.complete("keys retire ").text == "1\tverify-only\n2\tactive\n")
    }

    @Test("Verbs, cashiers, tokens and values of settings are completed")
    func words() async throws {
        let bench = try ProgramBench()
        let password = ["TAPCARD_CASHIER_PASSWORD": "sesame-open"]
        _ = await bench.run("cashiers add Ann", password)
        _ = await bench.run("tokens add shelf --may tags")
        for (line, offered) in [
            ("cashiers remove ", "Ann\towner\n"), ("cashiers add ", ""),
            ("tokens revoke ", "shelf\ttoken\n"), ("tokens add ", ""),
            ("config set cashier ", "Ann\towner\n"),
            ("config set reader ", "sim\tsimulated reader\n"),
            ("config set json ", "true\nfalse\n"),
            ("config set top-prize-unit ", "whole\nminor\n"),
            ("config set ca-file ", ":files\n"), ("config set timeout ", ""),
            ("schema cashiers ", "add\nrole\nremove\nlist\n"), ("schema pay ", ""),
        ] {
            #expect(await bench.complete(line).text == offered, "\(line)")
        }
        #expect(await bench.complete("config set currency ").text.hasPrefix("USD\t$\n"))
        #expect(await bench.complete("schema ").text.contains("\npay\n"))
    }

    @Test("A completion that fails offers nothing and prints no error")
    func failures() async throws {
        let bench = try ProgramBench()
        _ = await bench.run("demo --quiet")
        let ended = await bench.complete(
            "pay --card ", failing: .init(ledger: .init(.corrupt, "it burned")))
        #expect(ended == .init(status: 0, text: ""))
        try bench.set("{")
        #expect(await bench.complete("keys retire ") == .init(status: 0, text: ""))
    }
}
