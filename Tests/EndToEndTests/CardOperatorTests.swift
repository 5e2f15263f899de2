import Glibc
import OperatingSystem
import TestSupport
import Testing

@Suite("Operator commands for NTAG 424 cards", .ownThread) struct CardOperatorTests {
    private static func station(_ address: String? = nil) throws -> Till {
        let till = try Till()
        if let address { try till.step("config set card-address \(address)") }
        try till.step("sim take")
        try till.step("sim put NTAG424")
        try till.step("issue --name Ann --balance 20")
        return till
    }

    @Test("A simulated phone opens the customer page once per tap, without any hardware")
    func wholeWay() throws {
        let till = try Till()
        try till.step("keys list")
        try till.step("keys customers ~/customer-keys.json")
        let (process, address) = try CustomersServedTests.serving(
            till, CustomersServedTests.alone(till))
        #expect(address.hasPrefix("http://127.0.0.1:"))
        #expect(
            try till.step("config set card-address \(address)")
                == "card-address set to \(address) in \(till.home)/.config/tapcard/simulated/config.json"
        )
        try till.step("sim take")
        try till.step("sim put NTAG424")
        try till.step("issue --name Ann --balance 20")
        var seen: [String] = []
        for _ in 0..<2 {
            let link = try till.step("sim phone")
            #expect(link.hasPrefix("\(address)?p="))
            let query = String(link.drop { $0 != "?" }.dropFirst())
            #expect(try CustomersServedTests.post(address, query).contains("$20.00"))
            #expect(try CustomersServedTests.post(address, query).hasSuffix(" 410"))
            seen.append(link)
        }
        #expect(Set(seen).count == 2)
        // A card that lies elsewhere is read all the same, and counts on.
        try till.step("sim take")
        #expect(try till.step("sim phone").hasPrefix(address))
        let reads = try (0..<2).map { _ in
            let document = try till.step("sim phone 04518DFAA96180 --json")
            #expect(document.contains(#""text":null,"reads":"#))
            return try #require(
                Int(document.drop { $0 != "," }.split(separator: ":").last?.dropLast() ?? ""))
        }
        #expect(reads[1] == reads[0] + 1 && reads[0] > 3)
        try till.step("sim put 04518DFAA96180")
        #expect(try till.step("pay 5").hasPrefix("Paid $5.00, $15.00 left"))
        process.signal(SIGTERM)
        #expect(try process.end().status == 0)
    }

    @Test("A simulated phone shows what each kind of tag offers, or says why it shows nothing")
    func phone() throws {
        let till = try Till()
        #expect(
            try till.step("sim phone")
                == "A phone shows nothing for NTAG213 \(Till.firstUID): the tag has no message")
        try till.step("issue --name Amanda --balance 20")
        let text = try till.step("sim phone")
        #expect(text.contains("Amanda") && text.contains("20"))
        #expect(try till.step("sim phone --json").contains(#""address":null,"text":"{"#))
        try till.step("sim put NTAG424")
        #expect(try till.step("sim phone").hasPrefix("A phone shows nothing for NTAG424 "))
        #expect(try till.step("sim phone").hasSuffix(": the tag has no message"))
        try till.step("issue --name Ann --balance 20")
        let lost = try till.run(["sim", "phone"])
        #expect(lost.status == 0 && lost.output.hasPrefix("https://tapcard.invalid/c?p="))
        #expect(lost.errors.contains("config set card-address URL"))
        try till.step("sim put \(Till.firstUID) 04518DFAA96180")
        try till.expect(
            "sim phone", status: 2,
            complains:
                "There is more than one tag on the reader. Nothing was changed. Specify one of "
                + "them; to list them, run: tapcard sim list")
        #expect(try till.run(["--reader", "pn532_uart:/dev/x", "sim", "phone"]).status == 2)
    }

    @Test("An http card address must name a local port and works only with a simulated reader")
    func loopback() throws {
        let till = try Till()
        for address in ["http://127.0.0.1:8424/c", "http://localhost:8424/c"] {
            try till.step("config set card-address \(address)")
        }
        for address in [
            "http://cards.example/c", "http://127.0.0.1/c", "http://127.0.0.10:8424/c",
            "http://127.0.0.1:", "ftp://127.0.0.1:1/c",
        ] {
            #expect(
                try till.run(["config", "set", "card-address", address]).status == 2,
                "\(address)")
        }
        let real = try Till(["TAPCARD_READER": "pn532_uart:/dev/ttyUSB9"])
        let ended = try real.run(["config", "set", "card-address", "http://127.0.0.1:8424/c"])
        #expect(ended.status == 2)
        #expect(
            ended.errors.contains("with a real reader, it must begin with https://"), "\(ended)")
    }

    @Test("Setting a card address that phones cannot reach prints a warning")
    func pages() throws {
        let till = try Till()
        func set(_ name: String, _ value: String = "") throws -> String {
            let words = ["config", "set", name] + (value.isEmpty ? [] : [value])
            let ended = try till.run(words)
            #expect(ended.status == 0, "\(ended)")
            return String(ended.output.drop { $0 != "\n" }.dropFirst())
        }
        // Another machine serves it: nothing is known of that but the path.
        #expect(try set("card-address", "https://cards.example/c") == "")
        #expect(
            try set("card-address", "https://cards.example/card") == """
                note     The path in card-address is /card, not /c, so phones can reach the customer page only through a proxy that forwards that path.
                         Without such a proxy, before you issue more cards:
                           tapcard config set card-address https://cards.example/c

                """)
        #expect(try set("card-address", "https://cards.example").contains("has no path"))
        // Served here, without anything in front of it.
        let certificate = try Certificate(till)
        _ = try set("customers-tls-certificate", certificate.path)
        _ = try set("customers-name", "cards.example")
        let unproxied = """
            phones can reach the customer page only through a proxy that forwards that path.
                     Before you issue more cards:

            """
        #expect(try set("customers", "192.0.2.1:443").contains(unproxied))
        #expect(try set("card-address", "https://CARDS.example:8443/c") == "")
        let other = try set("card-address", "https://service.example/c")
        #expect(
            other.contains(
                "The host in card-address is service.example, but this machine's customer page "
                    + "responds only to cards.example, 192.0.2.1."))
        #expect(other.contains("config set customers-name service.example,cards.example"))
        #expect(try till.run(["doctor"]).output.contains("card-address is service.example,"))
        #expect(
            try till.run(["doctor", "--json"]).output.contains(#""id":"card-address""#))
        // A proxy in front passes the name on, and may have another path.
        _ = try set("customers-tls-certificate")
        _ = try set("customers", "127.0.0.1:8424")
        #expect(try set("card-address", "https://cards.example/card") == "")
        #expect(
            try set("card-address", "https://service.example/card").contains(
                "responds only to cards.example, 127.0.0.1, localhost."))
        // An address of this machine has none in front.
        #expect(try set("card-address", "http://127.0.0.1:8424/c") == "")
        #expect(try set("card-address", "http://localhost:8424/x").contains(unproxied))
        _ = try set("card-address")
        #expect(try !till.run(["doctor"]).output.contains("card-address"))
    }

    @Test("Exporting customer keys with --overwrite replaces only an older file of that kind")
    func customerKeys() throws {
        let till = try Till()
        let path = till.file("customer-keys.json")
        try till.step("keys customers ~/customer-keys.json --overwrite")
        let first = try till.text(of: path)
        try till.step("keys rotate")
        try till.expect(
            "keys customers ~/customer-keys.json", status: 1,
            complains:
                "The file ~/customer-keys.json already exists. Nothing was done. Choose "
                + "another name, or add --overwrite to replace a key file of the customer page.")
        #expect(try till.text(of: path) == first)
        try till.step("keys customers ~/customer-keys.json --overwrite")
        let second = try till.text(of: path)
        #expect(second != first && second.contains(#""id": 2"#))
        #expect(try DurableFile(path).permissions() == 0o600)
        // Neither the keys of the issuer nor any other file, nor one that cannot be read.
        try till.step("keys export ~/all.json")
        try till.write("notes", to: till.file("notes"))
        try till.write(String(second.dropLast(9)), to: till.file("cut"))
        try DurableFile.makeFolder(till.file("folder"))
        for name in ["all.json", "notes", "cut", "folder"] {
            let before = try? DurableFile(till.file(name)).read()
            let ended = try till.run(
                ["keys", "customers", till.file(name), "--overwrite"])
            #expect(ended.status == 1, "\(name): \(ended)")
            #expect(
                ended.errors.contains("was not replaced, because it could not be read as a key"))
            #expect((try? DurableFile(till.file(name)).read()) == before)
        }
    }

    @Test("Tag info names the issuer key of an NTAG 424 and the site that phones open")
    func tagInfo() throws {
        let till = try Till()
        try till.step("sim take")
        try till.step("sim put NTAG424")
        let blank = try till.step("tag info")
        #expect(
            blank.contains(
                "The chip keys are still the factory keys\nA phone that taps this card does not "
                    + "open a page\n"))
        try till.step("config set card-address https://cards.example:8443/c")
        try till.step("issue --balance 20")
        let card = try till.step("tag info")
        #expect(
            card.contains(
                """
                The chip keys have been changed (versions 2, 2, 2, 2, 2)
                The chip's key versions match key 1 of this machine; to authenticate the chip, run: tapcard read
                A phone that taps this card opens a page at cards.example:8443
                """), "\(card)")
        #expect(try till.step("tag info --json").contains(#""issuerKey":1,"halfMade":false,"#))
        try till.step("keys rotate")
        try till.step("keys retire 1 --for-ever")
        #expect(try till.step("tag info").contains("key 1 of this machine, which is retired;"))
        // Another issuer, whose only key is another one, and does not know better.
        let other = try Till()
        try other.step("keys list")
        try other.step("sim list")
        try other.write(try till.text(of: till.simulation.path), to: other.simulation.path)
        #expect(try other.step("tag info").contains("match key 1 of this machine;"))
        let fresh = try Till(["TAPCARD_READER": "sim:\(till.simulation.path)"])
        try fresh.step("keys list")
        try fresh.write(
            try fresh.text(of: fresh.keys).replacing("\"id\": 1", with: "\"id\": 3"),
            to: fresh.keys)
        #expect(try fresh.step("tag info").contains("match none of this machine's keys"))
    }

    @Test("Dumping, formatting and restoring are refused on an NTAG 424 because it has no pages")
    func pagesOfChips() throws {
        let till = try CardOperatorTests.station()
        let chip = "This chip has key-protected files instead of pages, as an NTAG 424 does: "
        try till.expect(
            "tag dump", status: 4,
            complains: chip
                + "it cannot be dumped. Nothing was changed, and no money moved. To see what is on "
                + "the tag, run: tapcard tag info")
        for line in ["tag format", "tag format --overwrite"] {
            try till.expect(
                line, status: 4,
                complains: chip
                    + "it cannot be made blank again. Nothing was written to the tag. To reuse "
                    + "this tag as a new card, run: tapcard issue --reissue. To see what is on the "
                    + "tag, run: tapcard tag info")
        }
        try till.step("sim put NTAG213")
        try till.step("tag dump ~/dump.txt")
        try till.step("sim put 04518DFAA96180")
        let ended = try till.run(till.words(of: "tag restore ~/dump.txt --overwrite"))
        #expect(
            ended.status == 4
                && ended.errors.contains("\(chip)a dump cannot be restored to it.")
        )
    }
}
