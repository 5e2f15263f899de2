import Testing

/// Every verb once, with the whole of its document: which keys there are, and in which order, is a
/// promise to other programs.
@Suite("The document that each verb prints with --json", .ownThread)
struct JSONDocumentTests {
    @Test("a card's life")
    func cards() throws {
        let till = try Till(["TAPCARD_JSON": "true"])
        try till.step("keys list")
        try till.expect(
            "read", status: 4,
            prints: #"""
                {"result":"refused","error":"blank-tag","message":"The tag is blank: there is no \#
                card on it. Nothing was changed on it. Write the demo user with tapcard demo, or \#
                a card of your own with tapcard issue.","uid":"04AC6B72BA6C80","operation":null,\#
                "resolved":[],"next":[{"step":"issue","chip":"NTAG213"}]}
                """#)
        try till.expect(
            "demo", prints: card(1, "0.00", state: "unscratched", of: ""))
        try till.expect("add 20", prints: receipt("20.00", "20.00", 2))
        let paid = try till.step("pay 4.50")
        #expect(till.masked(paid) == receipt("-4.50", "15.50", 3))
        let operation = try till.operation(in: paid)
        try till.expect(
            "pay 4.50 --operation \(operation)",
            prints: receipt("-4.50", "15.50", 3, replayed: true))
        try till.expect("refund \(operation) 1.25", prints: receipt("1.25", "16.75", 4))
        try till.expect("read", prints: card(4, "16.75", state: "unscratched"))
        try till.expect(
            "scratch",
            prints: card(
                5, "16.75", state: "scratched", of: #","replayed":false"#))
        try till.expect(
            "repair", prints: card(5, "16.75", state: "scratched", display: "repaired"))
        try till.expect("close", prints: receipt("-16.75", "0.00", 6))
        try till.expect(
            "history",
            prints: #"{"result":"done","entries":["#
                + [
                    entry("issue", nil, "0.00", 1), entry("add", "20.00", "20.00", 2),
                    entry("pay", "-4.50", "15.50", 3),
                    entry("refund", "1.25", "16.75", 4, reverses: "\"<uuid>\""),
                    entry("scratch", nil, "16.75", 5), entry("close", "-16.75", "0.00", 6),
                ].joined(separator: ",") + #"],"activations":[]}"#)
        try till.expect(
            "audit",
            prints: #"""
                {"result":"done","cards":1,"operations":6,"open":0,"violations":[],"activating":[],"journals":[]}
                """#)
    }

    @Test("cards and operators")
    func operators() throws {
        let till = try Till(["TAPCARD_JSON": "true"])
        let uid = Till.firstUID
        try till.step("issue --balance 7 --id 3 --no-scratch")
        try till.expect("block", prints: status("blocked"))
        try till.expect("unblock --card \(uid)", prints: status("active"))
        try till.expect("forget", prints: status("active"))
        try till.step("sim put NTAG215")
        let replaced = try till.step("replace --card \(uid)")
        #expect(
            replaced.contains(#""chip":"NTAG215","seal":"valid","sequence":1,"id":3,"name":null,"#))
        #expect(replaced.contains(#""balance":"7.00","currency":"USD","code":null,"state":null,"#))
        try till.step("sim put \(uid)")
        try till.expect(
            "pay 1", status: 4,
            prints: #"""
                {"result":"refused","error":"card-blocked","message":"The card was reported lost \#
                and replaced by another one. Earlier unfinished work was processed \#
                first; the history shows it. Nothing else was changed. Its money is on the \#
                other card. Its tag can become a new card with tapcard issue \#
                --reissue.","uid":"04AC6B72BA6C80","operation":null,"resolved":[],\#
                "next":[{"step":"use-replacement"},{"step":"reissue-tag"}]}
                """#)
        try till.step("sim put NTAG213")
        let other = try till.simulation.uidOnReader()
        try till.simulation.write(
            SimulationFileText.message("T", Array(#"{"accountValue":3.5,"id":9}"#.utf8)),
            on: other)
        try till.expect(
            "adopt --accept-balance 3.50",
            prints: card(
                1, "3.50", state: nil, uid: other, id: "9", name: nil, originality: "none",
                of: ""))
    }

    @Test("tags and the simulated reader")
    func tags() throws {
        let till = try Till(["TAPCARD_JSON": "true"])
        try till.step("keys list")
        try till.expect(
            "tag info",
            prints: #"""
                {"result":"done","uid":"04AC6B72BA6C80","chip":"NTAG213",\#
                "version":"0004040201000F03","originality":"valid","pages":45,"keyVersions":[],\#
                "ndef":"empty","locked":false,"protected":false,"counter":null,\#
                "settings":{"firstProtected":255,"protectsReading":false,"passwordLimit":0,\#
                "locked":false,"mirrorPage":null},"issuerKey":null,"halfMade":false,\#
                "host":null,"lrp":false}
                """#)
        try till.expect(
            "tag dump ~/dump.txt",
            prints:
                #"{"result":"done","uid":"04AC6B72BA6C80","chip":"NTAG213","file":"~/dump.txt"}"#)
        let dump = try till.step("tag dump")
        #expect(
            dump.hasPrefix(
                #"{"result":"done","uid":"04AC6B72BA6C80","chip":"NTAG213","dump":"tapcard tag 1\n"#
            ))
        try till.expect(
            "tag restore ~/dump.txt",
            prints: #"{"result":"done","uid":"04AC6B72BA6C80","missing":0}"#)
        try till.expect("tag format", prints: #"{"result":"done","uid":"04AC6B72BA6C80"}"#)
        let onReader = #"{"uid":"04AC6B72BA6C80","chip":"NTAG213","onReader":true}"#
        try till.expect("sim take", prints: #"{"result":"done"}"#)
        try till.expect("sim put", prints: #"{"result":"done","tags":[\#(onReader)]}"#)
        try till.expect(
            "sim tear 3 torn mix 7", prints: #"{"result":"done","fault":"write 3 torn mix 7"}"#)
        try till.expect(
            "sim list",
            prints: #"{"result":"done","tags":[\#(onReader)],"fault":"write 3 torn mix 7"}"#)
        try till.expect("sim tear none", prints: #"{"result":"done","fault":null}"#)
    }

    @Test("a backup")
    func backup() throws {
        let till = try Till(["TAPCARD_JSON": "true"])
        try till.step("demo")
        try till.expect("backup ~/b", prints: #"{"result":"done","file":"~/b"}"#)
        try till.expect(
            "restore-backup ~/b",
            prints: #"""
                {"result":"done","file":"~/b","exhausted":[],"stopped":[],"kept":\#
                "~/.local/share/tapcard/simulated/ledger.sqlite.before-restore-1"}
                """#)
    }

    private static let customers = ["", "-name", "-tls-certificate", "-tls-key", "-keys"].map {
        "customers\($0)"
    }

    @Test("the station")
    func station() throws {
        let till = try Till(["TAPCARD_JSON": "true"])
        try till.step("demo")
        try till.expect(
            "keys list",
            prints: #"""
                {"result":"done","keys":[{"id":1,"status":"active","created":"<date>","cards":1,\#
                "protected":0}]}
                """#)
        try till.expect("keys rotate", prints: #"{"result":"done","id":2}"#)
        try till.expect(
            "keys retire 1 --for-ever",
            prints: #"{"result":"done","id":1,"cards":1,"protected":0}"#)
        try till.expect("keys export ~/k", prints: #"{"result":"done","file":"~/k"}"#)
        try till.expect(
            "keys import ~/k", prints: #"{"result":"done","keys":[1,2],"currency":"USD"}"#)
        let begun = #"{"result":"done","script":"function __tapcard"#
        #expect(try till.step("completions fish").hasPrefix(begun))
        func setting(_ name: String, _ value: String, _ from: String) -> String {
            #"{"name":"\#(name)","value":\#(value),"from":"\#(from)"}"#
        }
        let folder = "~/.local/share/tapcard/simulated"
        let amounts = [
            ("confirm-payment-above", "100.00"), ("confirm-top-up-above", "200.00"),
            ("confirm-balance-above", "500.00"), ("payment-limit", "10000.00"),
            ("top-up-limit", "20000.00"), ("balance-limit", "50000.00"),
            ("offline-payments", "false"), ("offline-card-limit", "10.00"),
            ("offline-station-limit", "500.00"), ("offline-snapshot-age", "14400"),
            ("presets", "1.00 2.50 5.00 10.00"), ("top-up-presets", "5.00 10.00 20.00 50.00"),
        ].map { setting($0, "\"\($1)\"", "built in") }.joined(separator: ",")
        let customers = (["card-address"] + Self.customers).map { name in
            setting(name, "null", "built in")
        }.joined(separator: ",")
        try till.expect(
            "config --ledger /x --currency EUR",
            prints: #"{"result":"done","settings":["#
                + [
                    setting("reader", #""sim""#, "variable"), setting("ledger", #""/x""#, "flag"),
                    setting("currency", #""EUR""#, "flag"),
                    setting("timeout", #""30""#, "built in"),
                    setting("cashier", "null", "built in"),
                    setting("payment-lifetime", #""120""#, "built in"),
                    setting("activation-url", #""https://api.o2.sk""#, "built in"),
                    setting(
                        "lottery-url", #""https://agimenez95.github.io/LottoDrawsJSON""#,
                        "built in"),
                    setting(
                        "mastermind-url",
                        #""http://emarest.cz.mass-php-1.mit.etn.cz/api/v2""#, "built in"),
                    setting("ca-file", "null", "built in"),
                    setting("ticket-price", #""2""#, "built in"),
                    setting(
                        "prizes", #""6=top 5+bonus=100000 5=1750 4=140 3=30""#, "built in"),
                    setting("top-prize-unit", #""whole""#, "built in"),
                    setting("lottery-balls", #""6""#, "built in"),
                    setting("lottery-highest", #""59""#, "built in"),
                    amounts,
                    customers,
                    setting("json", #""true""#, "variable"),
                    setting("quiet", #""false""#, "built in"),
                    setting("verbose", #""false""#, "built in"),
                    setting("no-color", #""false""#, "built in"),
                    setting("data", #""\#(folder)""#, "built in"),
                    setting("keys", #""\#(folder)/keys.json""#, "built in"),
                    setting(
                        "settings-file", #""~/.config/tapcard/simulated/config.json""#,
                        "built in"),
                ].joined(separator: ",") + #"],"simulated":true}"#,
            complains: "the simulated reader is on the ledger /x.")
    }

    private func card(
        _ sequence: Int, _ balance: String, state: String?, uid: String = Till.firstUID,
        id: String = "1", name: String? = "Amanda Gonzalez", display: String = "current",
        originality: String = "valid", of operation: String? = nil
    ) -> String {
        func quoted(_ text: String?) -> String { text.map { "\"\($0)\"" } ?? "null" }
        return #"{"result":"done","uid":"\#(uid)","chip":"NTAG213","seal":"valid","#
            + #""sequence":\#(sequence),"id":\#(id),"name":\#(quoted(name)),"#
            + #""balance":"\#(balance)","currency":"USD","#
            + #""code":\#(state == "scratched" ? "\"<uuid>\"" : "null"),"state":\#(quoted(state)),"#
            + #""ledger":"known","display":"\#(display)","protection":"off","#
            + #""originality":"\#(originality)","ticket":null,"game":null,"#
            + #""operation":\#(operation == nil ? "null" : "\"<uuid>\""),"resolved":[]"#
            + (operation ?? "") + "}"
    }

    private func receipt(
        _ amount: String, _ balance: String, _ sequence: Int, replayed: Bool = false
    ) -> String {
        #"{"result":"done","operation":"<uuid>","uid":"04AC6B72BA6C80","amount":"\#(amount)","#
            + #""balance":"\#(balance)","currency":"USD","sequence":\#(sequence),"#
            + #""replayed":\#(replayed),"resolved":[]}"#
    }

    private func entry(
        _ kind: String, _ amount: String?, _ balance: String, _ sequence: Int,
        reverses: String = "null"
    ) -> String {
        #"{"operation":"<uuid>","uid":"04AC6B72BA6C80","kind":"\#(kind)","state":"committed","#
            + #""amount":\#(amount.map { "\"\($0)\"" } ?? "null"),"balance":"\#(balance)","#
            + #""sequence":\#(sequence),"reverses":\#(reverses),"at":"<time>","#
            + #""ticket":null,"game":null,"paidOut":null,"closed":null,"attempt":null,"#
            + #""cashier":null}"#
    }

    private func status(_ word: String) -> String {
        #"{"result":"done","uid":"04AC6B72BA6C80","status":"\#(word)"}"#
    }
}
