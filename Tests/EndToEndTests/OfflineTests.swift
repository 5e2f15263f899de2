import Glibc
import OperatingSystem
import TestSupport
import Testing

/// A till whose ledger server stops takes offline payments within its limits, and books them later.
@Suite("A till whose ledger is offline", .ownThread)
struct OfflineTests {
    @Test("Without offline payments a till moves no money but shows the balance on the card")
    func refusing() throws {
        let issuer = try TestIssuer()
        defer { issuer.server.kill() }
        let till = try issuer.till()
        try till.step("issue --name Amanda --balance 20")
        issuer.server.kill()
        let tags = try till.till.text(of: till.tags)
        let named = ["sell Soup --operation", "refund"].map { "\($0) \(OfflineTests.id)" }
        for line in ["pay 4.50", "sell Soup", "add 5", "close", "scratch"] + named {
            let ended = try till.run(line)
            #expect(ended.status == 9 && ended.errors.contains("is offline"), "\(line)")
        }
        let told = [
            "pay 4.50": "The payment was not taken: the card was not charged. Try again once the "
                + "ledger is back online, or take cash.",
            "add 5": "The top-up was not made: the balance is unchanged. Return the cash, or "
                + "top up the card once the ledger is back online.",
        ]
        for (line, words) in told {
            #expect(try till.run(line).errors.contains(words), "\(line)")
            // An id that was given may have been tried before.
            let again = try till.run("\(line) --operation \(OfflineTests.id)")
            #expect(again.status == 9 && !again.errors.contains("Not "), "\(again)")
        }
        #expect(try till.till.text(of: till.tags) == tags)
        let read = try till.run("read")
        #expect(read.status == 9 && read.output.contains("Amanda, €20.00"), "\(read)")
        #expect(read.output.contains("Seal: valid; ledger: offline"))
        #expect(
            read.output.contains(
                "The ledger has not confirmed this balance; it is the amount stored on the card."))
        let document = try till.run("read --json").output
        #expect(document.contains(#""ledger":"offline""#))
        #expect(document.contains(#""error":"ledger-offline""#))
    }

    /// A machine that takes the connection and never answers.
    @Test("A till moves no money if its database server never answers")
    func swallowing() throws {
        let issuer = try TestIssuer()
        defer { issuer.server.kill() }
        let till = try issuer.till()
        try till.step("issue --balance 20")
        let silent = try SilentServer()
        let address = "postgresql://till@127.0.0.1:\(silent.port)/issuer"
        for line in ["pay 1", "add 1"] {
            let words = till.till.words(of: "--ledger \(address) \(line)")
            let ended = try till.till.run(words)
            #expect(ended.status == 9 && ended.errors.contains("timeout expired"), "\(ended)")
        }
    }

    /// libpq would wait an hour for each of them.
    @Test("A till with three silent database servers refuses a payment and names each of them")
    func allSilent() throws {
        let issuer = try TestIssuer()
        defer { issuer.server.kill() }
        let till = try issuer.till()
        try till.step("issue --balance 20")
        let silent = try (0..<3).map { _ in try SilentServer() }
        let hosts = silent.map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
        let address = "postgresql://till@\(hosts)/issuer?connect_timeout=3600"
        let ended = try till.till.run(till.till.words(of: "--ledger \(address) pay 1"))
        #expect(ended.status == 9, "\(ended)")
        for server in silent {
            #expect(
                ended.errors.contains("no response from host 127.0.0.1, port \(server.port)"),
                "\(ended)")
        }
    }

    /// Two servers accept connections and never answer; libpq would wait an hour for each.
    @Test("A till finds its database server behind two silent ones")
    func afterSilentOnes() throws {
        let issuer = try TestIssuer()
        defer { issuer.server.kill() }
        let till = try issuer.till()
        try till.step("issue --balance 20")
        let silent = try (0..<2).map { _ in try SilentServer() }
        let ports = silent.map { "\($0.port)," }.joined()
        let address =
            till.place.replacing("host=", with: "host=127.0.0.1,127.0.0.1,")
            + "&port=\(ports)&connect_timeout=3600"
        let ended = try till.till.run(till.till.words(of: "--ledger \(address) pay 1"))
        #expect(ended.status == 0, "\(ended)")
    }

    @Test(
        "An offline till takes payments within its limits and books them when the ledger is back",
        arguments: Thoroughness.some(["NTAG424", "NTAG213"], of: 2))
    func story(chip: String) throws {
        var issuer = try TestIssuer()
        defer { issuer.server.kill() }
        let till = try issuer.till(["TAPCARD_OFFLINE_PAYMENTS": "true"])
        try till.step("sim put \(chip)")
        try till.step("issue --name Amanda --balance 20")
        #expect(try till.step("offline snapshot") == "The snapshot has 1 card")
        issuer.server.kill()
        let paid = try till.step("pay 4.50 --operation \(OfflineTests.id)")
        #expect(
            paid.hasPrefix(
                """
                Paid €4.50 (offline), €15.50 left (last known balance)
                The ledger is offline; this payment is in this machine's journal and will be \
                booked when the ledger is back online (payments not yet booked here: €4.50, \
                limit €
                """), "\(paid)")
        let again = try till.step("pay 4.50 --operation \(OfflineTests.id)")
        #expect(again.contains("(already done; last known balance)"))
        #expect(try till.step("pay 1 --json").contains(#""offline":{"unbooked":"5.50","#))
        #expect(try till.run("pay 4.51").status == 9)
        #expect(try till.run("add 5").status == 9)
        let left = try till.run("read")
        // An NTAG 424 bears no name: only the ledger knows it.
        let name = chip == "NTAG424" ? "No name" : "Amanda"
        #expect(left.output.hasPrefix("\(name), €14.50"), "\(left)")
        let less = "stored on the card, less €5.50 in offline payments not yet booked."
        #expect(left.output.contains("not confirmed this balance; it is the amount \(less)"))
        try SimulationFileText(path: till.tags).arm("frame 3 lost")
        let pulled = try till.run("pay 1")
        #expect(pulled.status == 1 && pulled.output.isEmpty, "\(pulled)")
        #expect(pulled.errors.contains("Nothing was changed, and no money moved."))
        try till.step("sim put")
        let limit = try till.run("pay 4.51 --json").output
        #expect(limit.contains(#""step":"wait-for-ledger","because":"card-limit","amount":"4.50""#))
        #expect(try till.run("doctor").output.contains("not yet booked here: 2, €5.50 in total."))
        try issuer.recover()
        let booked = try till.run("pay 1")
        #expect(booked.errors.hasSuffix("tapcard: Booked 2 offline payments, €5.50 in total.\n"))
        #expect(booked.output.hasPrefix("Paid €1.00, €13.50 left"))
        #expect(try till.step("read").hasPrefix("Amanda, €13.50"))
        #expect(try till.step("history").contains("offline"))
        #expect(try till.step("audit").contains("rules: all hold"))
        #expect(try till.step("takings --json").contains(#""paid":"6.50""#))
        // Under the same id it is answered from the ledger now.
        let later = try till.step("pay 4.50 --operation \(OfflineTests.id)")
        #expect(later.contains("(already done; balance at that time)"))
        #expect(try till.step("offline book") == "No offline payments to book")
    }

    /// The card may already show that payment, and the cashier was told that its outcome is
    /// unknown.
    @Test(
        "A till takes no offline payment from a card on which its own payment is open",
        arguments: Thoroughness.some(["NTAG424", "NTAG213"], of: 2))
    func openPayment(chip: String) throws {
        var issuer = try TestIssuer()
        defer { issuer.server.kill() }
        let till = try issuer.till(["TAPCARD_OFFLINE_PAYMENTS": "true"])
        try till.step("sim put \(chip)")
        try till.step("issue --balance 20")
        try till.step("offline snapshot")
        try till.step("sim tear 1 killed-before")
        #expect(try till.run("pay 3 --operation \(OfflineTests.id)").status != 0)
        issuer.server.kill()
        // The same again, any amount under an id of its own, and the same id: exit status 6.
        let other = "7f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60"
        for line in [
            "pay 3", "pay 2 --operation \(other)", "pay 3 --operation \(OfflineTests.id)",
        ] {
            let refused = try till.run(line)
            #expect(refused.status == 6, "\(refused)")
            #expect(refused.errors.contains("Payment \(OfflineTests.id) may or may not have been"))
            #expect(!refused.errors.contains("cash"))
        }
        try issuer.recover()
        #expect(try till.step("read").contains("€20.00"))
        issuer.server.kill()
        #expect(try till.step("pay 3").hasPrefix("Paid €3.00 (offline), €17.00 left"))
        try issuer.recover()
        #expect(try till.step("offline book") == "Booked 1 offline payment, €3.00 in total.")
        #expect(try till.step("audit").contains("rules: all hold"))
    }

    @Test("An offline till never denies a request that was done or may have been done")
    func earlierTries() throws {
        var issuer = try TestIssuer()
        defer { issuer.server.kill() }
        let till = try issuer.till(["TAPCARD_OFFLINE_PAYMENTS": "true"])
        try till.step("issue --balance 20")
        try till.step("pay 12 --operation \(OfflineTests.id)")
        try till.step("offline snapshot")
        try till.step("sim tear 1 killed-before")
        #expect(try till.run("add 7").status != 0)
        issuer.server.kill()
        let paid = try till.run("pay 12 --operation \(OfflineTests.id)")
        #expect(paid.status == 6 && paid.errors.contains("\(OfflineTests.id) was completed"))
        let added = try till.run("add 7")
        #expect(added.status == 6 && added.errors.contains("may or may not have been"), "\(added)")
        #expect(!added.errors.contains("Return the cash"))
        let another = try till.run("add 5")
        #expect(another.status == 9 && another.errors.contains("Return the cash"))
        // Without its memory the till claims nothing, and takes no offline payments.
        let memory = till.folder + "/confirmed.txt"
        try DurableFile(memory).remove()
        try DurableFile.makeFolder(memory)
        let blind = try till.run("pay 1")
        #expect(blind.status != 0 && blind.errors.contains("cannot be read"), "\(blind)")
        unsafe rmdir(memory)
        try issuer.recover()
        // The cash is in the drawer: a top-up is completed.
        #expect(try till.step("read").contains("€15.00"))
    }

    @Test("A payment warns that the journal of offline payments cannot be read")
    func unreadableJournal() throws {
        let issuer = try TestIssuer()
        defer { issuer.server.kill() }
        let till = try issuer.till(["TAPCARD_OFFLINE_PAYMENTS": "true"])
        try till.step("issue --balance 20")
        try DurableFile.makeFolder(till.folder + "/deferred.journal")
        let paid = try till.run("pay 1")
        #expect(paid.status == 0)
        #expect(paid.errors.contains("offline payments was not completed"), "\(paid)")
    }

    @Test("A lost journal is reported until the owner writes it off")
    func lostJournal() throws {
        var issuer = try TestIssuer()
        defer { issuer.server.kill() }
        let till = try issuer.till(["TAPCARD_OFFLINE_PAYMENTS": "true"])
        try till.step("issue --balance 20")
        try till.step("offline snapshot")
        issuer.server.kill()
        try till.step("pay 4.50")
        let journal = till.folder + "/deferred.journal"
        let copy = till.till.file("copy")
        let bytes = try #require(try DurableFile(journal).read())
        try DurableFile(copy).write(bytes)
        try DurableFile(journal).remove()
        try issuer.recover()
        try till.step("offline snapshot")
        let status = try issuer.owner.step("ledger status --json")
        #expect(status.contains(#""reason":"replaced""#), "\(status)")
        #expect(try till.step("audit").contains("was replaced by a new one"))
        #expect(
            try till.step("offline book \(copy)") == "Booked 1 offline payment, €4.50 in total.")
        #expect(try till.step("offline book \(copy)") == "No offline payments to book")
        let id = try #require(Mask.uuid.first(in: String(decoding: bytes, as: UTF8.self)))
        let refused = try till.run("offline write-off \(id)")
        #expect(refused.errors.contains("Only the owner"), "\(refused)")
        #expect(try issuer.owner.step("ledger status --json").contains(#""reason":"replaced""#))
        try issuer.owner.step("offline write-off \(id)")
        #expect(try issuer.owner.step("ledger status --json").contains(#""journals":[]"#))
    }

    @Test("The till page takes offline payments, even after a restart without the server")
    func page() throws {
        var issuer = try TestIssuer()
        defer { issuer.server.kill() }
        let till = try issuer.till(["TAPCARD_OFFLINE_PAYMENTS": "true"])
        try till.step("issue --name Amanda --balance 20")
        var page = try CashierPage(till.till, ["--ledger", till.place])
        var token = try page.token()
        func wait(until words: String, at path: String = "/api/v1/health") throws {
            while try !page.get(path, token).contains(words) { usleep(50_000) }
        }
        func post(_ path: String, _ amount: String) throws -> String {
            try page.post("/api/v1/\(path)", #"{"amount":"\#(amount)","again":true}"#, token)
        }
        try wait(until: #""offered":true"#)
        issuer.server.kill()
        let offline = try post("pay", "4.50")
        #expect(offline.contains(#""offline":{"unbooked":"4.50","limit":"500.00"}"#))
        try wait(until: #""offline":true,"offered":true,"unbooked":"4.50""#)
        try wait(until: #""ledger":"offline""#, at: "/api/v1/card")
        #expect(try post("add", "5.00").contains("ledger-offline"))
        try page.stop()
        page = try CashierPage(till.till, ["--ledger", till.place])
        token = try page.token()
        #expect(try post("pay", "0.50").contains(#""offline":{"unbooked":"5.00","#))
        try wait(until: #""ledger":"offline""#, at: "/api/v1/card")
        try issuer.recover()
        // The till asks the server again after a second.
        while try post("add", "1.00").contains("ledger-offline") { usleep(50_000) }
        let paid = try post("pay", "1.00")
        #expect(paid.contains(#""result":"done""#) && !paid.contains("offline"), "\(paid)")
        try wait(until: #""unbooked":"0.00","payments":0"#)
        try wait(until: #""ledger":"known""#, at: "/api/v1/card")
        try page.stop()
        #expect(try till.step("audit").contains("rules: all hold"))
    }

    @Test(
        "The till page notices without a tap that the ledger is offline or back"
    )
    func news() throws {
        var issuer = try TestIssuer()
        defer { issuer.server.kill() }
        let till = try issuer.till()
        try till.step("issue --name Amanda --balance 20")
        try till.step("sim take")
        let page = try CashierPage(till.till, ["--ledger", till.place])
        let token = try page.token()
        func wait(until words: String) throws {
            while try !page.get("/api/v1/health", token).contains(words) { usleep(50_000) }
        }
        try wait(until: #""offlinePayments":null"#)
        issuer.server.kill()
        // A page that has only looked shows it from then on, and is told when the ledger is back.
        #expect(try page.get("/api/v1/history?last=1", token).contains("ledger-offline"))
        #expect(try page.get("/api/v1/health", token).contains(#""offline":true"#))
        try wait(until: #""offlinePayments":{"offline":true,"offered":false,"unbooked":"0.00""#)
        try issuer.recover()
        try wait(until: #""offlinePayments":null"#)
        try page.stop()
    }

    @Test("An offline payment is reported as paid only after its journal line is synced")
    func failedSync() throws {
        var issuer = try TestIssuer()
        defer { issuer.server.kill() }
        let till = try issuer.till(["TAPCARD_OFFLINE_PAYMENTS": "true"])
        try till.step("issue --balance 20")
        try till.step("offline snapshot")
        issuer.server.kill()
        let killSwitch = try KillSwitch(till.till, files: till.folder)
        func pay(_ action: KillSwitch.Action?) throws -> Ended {
            try till.run(
                "pay 1 --operation \(OfflineTests.id)",
                with: killSwitch.variables(action, at: 1, calls: "sync"))
        }
        let refused = try pay(.fail(EIO))
        #expect(refused.status == 9 && refused.errors.contains("was not taken"), "\(refused)")
        #expect(try till.run("doctor").output.contains("not booked") == false)
        let unknown = try pay(.failOn(EIO))
        #expect(unknown.status == 6 && unknown.output.isEmpty, "\(unknown)")
        _ = try killSwitch.takeLog()
        #expect(try pay(nil).status == 0)
        let calls = try killSwitch.takeLog()
        let synced = calls.firstIndex { $0.name == "sync" && $0.path.hasSuffix("journal") }
        let told = calls.firstIndex { $0.kind == "told" }
        #expect(try #require(synced) < (try #require(told)))
        try issuer.recover()
        #expect(try till.step("offline book") == "Booked 1 offline payment, €1.00 in total.")
    }

    private static let id = "6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60"

    /// A server with the ledger of an issuer.
    struct TestIssuer {
        var server: PrivatePostgreSQL
        let owner: OfflineTill

        init() throws {
            server = try PrivatePostgreSQL()
            _ = try server.database("issuer")
            owner = OfflineTill(
                till: try Till(["TAPCARD_READER": ""]), place: server.address(of: "issuer"))
            try owner.step("ledger init --currency EUR")
        }

        /// Starts a new server on the data of the last one.
        mutating func recover() throws { server = try server.recovered() }

        /// A new station, as its owner and its cashier set it up.
        func till(_ variables: [String: String] = [:]) throws -> OfflineTill {
            let name = "till-\(UInt32.random(in: 0...UInt32.max))"
            let password = owner.till.file("\(name).pgpass")
            try owner.step("servers add \(name) \(password)")
            let tags = owner.till.file("tags.txt")
            let usual = ["TAPCARD_READER": "sim:\(tags)", "PGPASSFILE": password]
            return OfflineTill(
                till: try Till(usual.merging(variables) { $1 }),
                place: owner.place.replacing("user=tapcard", with: "user=\(name)"), tags: tags)
        }
    }

    struct OfflineTill {
        let till: Till
        let place: String
        var tags = ""

        var folder: String { till.data }

        func start(_ line: String, with more: [String: String?] = [:]) throws -> ChildProcess {
            try till.start(till.words(of: "--ledger \(place) \(line)"), with: more)
        }

        func run(_ line: String, with more: [String: String?] = [:]) throws -> Ended {
            try start(line, with: more).end()
        }

        @discardableResult
        func step(
            _ line: String, at location: SourceLocation = #_sourceLocation
        ) throws -> String {
            try till.step("--ledger \(place) \(line)", at: location)
        }
    }
}
