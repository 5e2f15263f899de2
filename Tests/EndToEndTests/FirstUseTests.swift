import DurableFile
import Glibc
import Testing

/// A station before its first card, and a simulated one next to it.
@Suite("First use", .ownThread)
struct FirstUseTests {
    private let station: EmulatedCounter
    private let counter: Counter

    init() throws {
        station = try EmulatedCounter(isSetUp: false)
        counter = station.counter
    }

    private func isThere(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    @Test("a tag is read without keys and ledger, and none are made")
    func reading() throws {
        let note =
            "this station is not set up: no seal can be checked. tapcard init --currency "
            + "EUR makes keys and a ledger."
        let blank = try counter.run(["read"])
        #expect(blank.status == 4)
        #expect(blank.errors.contains("tapcard: \(note)\n") && blank.errors.contains("is blank"))
        for line in ["tag info", "tag dump"] { try counter.step(line) }
        for line in [
            "pay 1", "issue", "demo", "history", "audit", "keys list", "backup ~/b", "serve",
        ] {
            let ended = try counter.run(counter.words(of: line))
            #expect(ended.status == 9, "\(line): \(ended.errors)")
            #expect(ended.errors.contains("tapcard init --currency EUR"), "\(line)")
        }
        #expect(!isThere(counter.data))
    }

    @Test("a card of another house is shown, and its seal is not judged")
    func sealedCard() throws {
        try counter.step("init --currency USD")
        try counter.step("issue --balance 20")
        for path in [counter.keys, counter.ledger] { try DurableFile(path).remove() }
        let ended = try counter.run(["read"])
        #expect(ended.status == 7 && ended.output.contains("Seal: under an unknown key"))
        #expect(ended.errors.contains("which this station does not have"), "\(ended.errors)")
        #expect(!isThere(counter.keys) && !isThere(counter.ledger))
    }

    @Test("init makes keys and ledger in the currency that is named, once")
    func setUp() throws {
        let nameless = try counter.run(["init"])
        #expect(nameless.status == 2 && nameless.errors.contains("--currency EUR"))
        #expect(!isThere(counter.data))
        try counter.expect(
            "init --currency EUR",
            prints: """
                This station is set up, in EUR
                Ledger: ~/.local/share/tapcard/ledger.sqlite
                Keys: ~/.local/share/tapcard/keys.json
                Next: copy the keys to a safe place with tapcard keys export FILE
                Then make the first card with tapcard issue, or open the counter with tapcard serve
                """)
        for path in [counter.keys, counter.ledger] {
            #expect(try DurableFile(path).permissions() == 0o600, "\(path)")
        }
        let keys = try counter.text(of: counter.keys)
        #expect(try counter.step("init").hasPrefix("This station was set up before, in EUR\n"))
        #expect(try counter.run(["init", "--currency", "USD"]).status == 9)
        #expect(try counter.text(of: counter.keys) == keys)
        #expect(try counter.step("issue --balance 3").hasPrefix("Issued: No name, €3.00\n"))
    }

    @Test("a ledger that is gone is not begun again while its keys are there")
    func lostLedger() throws {
        try counter.step("init --currency USD")
        try DurableFile(counter.ledger).remove()
        let ended = try counter.run(["pay", "1"])
        #expect(ended.status == 9, "\(ended.errors)")
        #expect(ended.errors.contains("but there are keys") && !isThere(counter.ledger))
        #expect(ended.errors.contains("tapcard restore-backup FILE"))
    }

    @Test("play money has its own ledger, keys and settings, and says so")
    func play() throws {
        try counter.step("init --currency EUR")
        let real = [counter.keys, counter.ledger]
        let before = try real.map { try DurableFile($0).read() }
        try counter.write(
            #"{"currency":"EUR"}"#, to: counter.file(".config/tapcard/config.json"))
        let made = try counter.run(["--reader", "sim", "issue", "--balance", "5"])
        #expect(made.output.hasPrefix("Issued: No name, $5.00\n"))
        #expect(made.errors.contains("this is play money, apart from the real books."))
        #expect(try real.map { try DurableFile($0).read() } == before)
        #expect(try counter.step("audit").hasPrefix("Cards: 0, "))
        #expect(try counter.step("--reader sim audit").hasPrefix("Cards: 1, "))
        #expect(
            try counter.step("--reader sim config")
                .hasSuffix("The reader is simulated: play money, apart from the real books"))
        #expect(try counter.step("--reader sim config get data") == "\(counter.data)/simulated")
        #expect(try counter.step("config get data") == counter.data)
    }

    @Test(
        "books that a variable names for the whole shop see no play money",
        arguments: ["TAPCARD_DATA", "TAPCARD_LEDGER"])
    func exported(variable: String) throws {
        let isData = variable == "TAPCARD_DATA"
        let shop = counter.file("shop")
        let variables: [String: String?] = [variable: isData ? shop : "\(shop)/ledger.sqlite"]
        try counter.write("", to: "\(shop)/x")
        #expect(try counter.run(["init", "--currency", "USD"], with: variables).status == 0)
        let before = try DurableFile("\(shop)/ledger.sqlite").read()
        let words = ["--reader", "sim", "issue", "--balance", "5"]
        let ended = try counter.run(words, with: variables)
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.errors.contains("this is play money, apart from the real books."))
        #expect(ended.errors.contains("TAPCARD_LEDGER has no effect") != isData)
        #expect(try DurableFile("\(shop)/ledger.sqlite").read() == before)
        let books = isData ? "\(shop)/simulated" : "\(counter.data)/simulated"
        for name in ["keys.json", "ledger.sqlite"] { #expect(isThere("\(books)/\(name)")) }
    }

    @Test("the real books can be named on purpose, on the command line alone")
    func onPurpose() throws {
        try counter.step("init --currency USD")
        let words = ["--reader", "sim", "--ledger", counter.ledger]
        let ended = try counter.run(words + ["issue", "--balance", "5"])
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(
            counter.masked(ended.errors).hasPrefix(
                "tapcard: the simulated reader is on the ledger ~/.local/share/tapcard/"
                    + "ledger.sqlite.\n"), "\(ended.errors)")
        #expect(!ended.errors.contains("play money"))
        #expect(!(try counter.run(words + ["config"]).output.contains("play money")))
        #expect(try counter.step("audit").hasPrefix("Cards: 1, "))
    }

    @Test("play money is tried in another currency, and the way from one to the other is named")
    func otherPlayMoney() throws {
        #expect(
            try counter.step("--reader sim init --currency EUR").hasSuffix(
                "\nThe reader is simulated: this is play money, apart from the real books"
                    + "\nNext: make a card with tapcard --reader sim demo"))
        #expect(try counter.step("--reader sim demo").contains("€0.00"))
        let other = try counter.run(counter.words(of: "--reader sim init --currency USD"))
        #expect(other.status == 9)
        let books = "\(counter.data)/simulated"
        #expect(other.errors.hasSuffix("away first: mv \(books) \(books)-before\n"))
        try #require(unsafe rename(books, "\(books)-before") == 0)
        try counter.step("--reader sim init --currency USD")
    }
}
