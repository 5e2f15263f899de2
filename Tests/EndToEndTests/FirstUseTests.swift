import Glibc
import OperatingSystem
import TestSupport
import Testing

/// A station before its first card, and a simulated one next to it.
@Suite("A new station", .ownThread)
struct FirstUseTests {
    private let station: EmulatedTill
    private let till: Till

    init() throws {
        station = try EmulatedTill(isSetUp: false)
        till = station.till
    }

    private func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    @Test("Before setup tags can be read, other commands ask for init, and nothing is created")
    func reading() throws {
        let note =
            "Cards can be shown, but their seals cannot be checked, because this machine is not "
            + "set up. To create keys and a ledger, run: tapcard init --currency EUR"
        let blank = try till.run(["read"])
        #expect(blank.status == 4)
        #expect(blank.errors.contains("tapcard: \(note)\n") && blank.errors.contains("is blank"))
        for line in ["tag info", "tag dump"] { try till.step(line) }
        for line in [
            "pay 1", "issue", "demo", "history", "audit", "keys list", "backup ~/b", "serve",
        ] {
            let ended = try till.run(till.words(of: line))
            #expect(ended.status == 9, "\(line): \(ended.errors)")
            #expect(ended.errors.contains("tapcard init --currency EUR"), "\(line)")
        }
        #expect(!exists(till.data))
    }

    @Test("Before setup a sealed card is shown with an unknown key")
    func sealedCard() throws {
        try till.step("init --currency USD")
        try till.step("issue --balance 20")
        for path in [till.keys, till.ledger] { try DurableFile(path).remove() }
        let ended = try till.run(["read"])
        #expect(ended.status == 7 && ended.output.contains("Seal: unknown key"))
        #expect(
            ended.errors.contains(
                "This machine does not have this card's sealing key"), "\(ended.errors)")
        #expect(!exists(till.keys) && !exists(till.ledger))
    }

    @Test("The init command creates keys and ledger once, in the currency that it is given")
    func setUp() throws {
        let nameless = try till.run(["init"])
        #expect(nameless.status == 2 && nameless.errors.contains("--currency EUR"))
        #expect(!exists(till.data))
        try till.step("init --currency EUR")
        for path in [till.keys, till.ledger] {
            #expect(try DurableFile(path).permissions() == 0o600, "\(path)")
        }
        let keys = try till.text(of: till.keys)
        #expect(
            try till.step("init").hasPrefix("This machine is already set up; its currency is EUR\n")
        )
        #expect(try till.run(["init", "--currency", "USD"]).status == 9)
        #expect(try till.text(of: till.keys) == keys)
        #expect(try till.step("issue --balance 3").hasPrefix("Issued: No name, €3.00\n"))
    }

    @Test("A missing ledger is not created anew while its keys are still there")
    func lostLedger() throws {
        try till.step("init --currency USD")
        try DurableFile(till.ledger).remove()
        let ended = try till.run(["pay", "1"])
        #expect(ended.status == 9, "\(ended.errors)")
        #expect(ended.errors.contains("This machine has keys") && !exists(till.ledger))
        #expect(ended.errors.contains("tapcard restore-backup FILE"))
    }

    @Test("Play money has its own ledger, keys and settings, and is announced as such")
    func play() throws {
        try till.step("init --currency EUR")
        let real = [till.keys, till.ledger]
        let before = try real.map { try DurableFile($0).read() }
        try till.write(
            #"{"currency":"EUR"}"#, to: till.file(".config/tapcard/config.json"))
        let made = try till.run(["--reader", "sim", "issue", "--balance", "5"])
        #expect(made.output.hasPrefix("Issued: No name, $5.00\n"))
        #expect(made.errors.contains("this is play money, kept apart from the real ledger"))
        #expect(try real.map { try DurableFile($0).read() } == before)
        #expect(try till.step("audit").hasPrefix("Cards: 0; "))
        #expect(try till.step("--reader sim audit").hasPrefix("Cards: 1; "))
        #expect(
            try till.step("--reader sim config")
                .hasSuffix("This is a simulation with play money, separate from the real ledger"))
        #expect(try till.step("--reader sim config get data") == "\(till.data)/simulated")
        #expect(try till.step("config get data") == till.data)
    }

    @Test(
        "Play money stays out of the ledger that TAPCARD_DATA or TAPCARD_LEDGER names",
        arguments: ["TAPCARD_DATA", "TAPCARD_LEDGER"])
    func exported(variable: String) throws {
        let isData = variable == "TAPCARD_DATA"
        let shop = till.file("shop")
        let variables: [String: String?] = [variable: isData ? shop : "\(shop)/ledger.sqlite"]
        try till.write("", to: "\(shop)/x")
        #expect(try till.run(["init", "--currency", "USD"], with: variables).status == 0)
        let before = try DurableFile("\(shop)/ledger.sqlite").read()
        let words = ["--reader", "sim", "issue", "--balance", "5"]
        let ended = try till.run(words, with: variables)
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.errors.contains("this is play money, kept apart from the real ledger"))
        #expect(ended.errors.contains("TAPCARD_LEDGER is ignored") != isData)
        #expect(try DurableFile("\(shop)/ledger.sqlite").read() == before)
        let books = isData ? "\(shop)/simulated" : "\(till.data)/simulated"
        for name in ["keys.json", "ledger.sqlite"] { #expect(exists("\(books)/\(name)")) }
    }

    @Test("A simulated reader uses the real ledger when --ledger names it, with a warning")
    func onPurpose() throws {
        try till.step("init --currency USD")
        let words = ["--reader", "sim", "--ledger", till.ledger]
        let ended = try till.run(words + ["issue", "--balance", "5"])
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(
            till.masked(ended.errors).hasPrefix(
                "tapcard: warning: a simulated reader is being used with the real ledger "
                    + "~/.local/share/tapcard/ledger.sqlite.\n"
            ), "\(ended.errors)")
        #expect(!ended.errors.contains("play money"))
        #expect(!(try till.run(words + ["config"]).output.contains("play money")))
        #expect(try till.step("audit").hasPrefix("Cards: 1; "))
    }

    @Test("Play money in another currency needs a fresh folder, and the error says how to get one")
    func otherPlayMoney() throws {
        #expect(
            try till.step("--reader sim init --currency EUR").hasSuffix(
                "\nThis is a simulation with play money, separate from the real ledger\nNext: "
                    + "tapcard --reader sim demo"))
        #expect(try till.step("--reader sim demo").contains("€0.00"))
        let other = try till.run(till.words(of: "--reader sim init --currency USD"))
        #expect(other.status == 9)
        let books = "\(till.data)/simulated"
        #expect(other.errors.hasSuffix("folder out of the way: mv \(books) \(books)-before\n"))
        try #require(unsafe rename(books, "\(books)-before") == 0)
        try till.step("--reader sim init --currency USD")
    }
}
