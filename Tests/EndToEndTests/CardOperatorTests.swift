import DurableFile
import Glibc
import Testing

/// An operator's commands around cards on an NTAG 424 DNA, on the command line.
@Suite("An operator of cards on an NTAG 424 DNA", .ownThread) struct CardOperatorTests {
    private static func station(_ address: String? = nil) throws -> Counter {
        let counter = try Counter()
        if let address { try counter.step("config set card-address \(address)") }
        try counter.step("sim take")
        try counter.step("sim put NTAG424")
        try counter.step("issue --name Ann --balance 20")
        return counter
    }

    @Test("goes the whole way from a card to its page on one machine, without hardware")
    func wholeWay() throws {
        let counter = try Counter()
        try counter.step("keys list")
        try counter.step("keys customers ~/customer-keys.json")
        let (process, address) = try CustomersServedTests.serving(
            counter, CustomersServedTests.alone(counter))
        #expect(address.hasPrefix("http://127.0.0.1:"))
        #expect(
            try counter.step("config set card-address \(address)")
                == "card-address is \(address) in \(counter.home)/.config/tapcard/simulated/config.json"
        )
        try counter.step("sim take")
        try counter.step("sim put NTAG424")
        try counter.step("issue --name Ann --balance 20")
        var seen: [String] = []
        for _ in 0..<2 {
            let link = try counter.step("sim phone")
            #expect(link.hasPrefix("\(address)?p="))
            let query = String(link.drop { $0 != "?" }.dropFirst())
            #expect(try CustomersServedTests.post(address, query).contains("$20.00"))
            #expect(try CustomersServedTests.post(address, query).hasSuffix(" 410"))
            seen.append(link)
        }
        #expect(Set(seen).count == 2)
        // A card that lies elsewhere is read all the same, and counts on.
        try counter.step("sim take")
        #expect(try counter.step("sim phone").hasPrefix(address))
        let reads = try (0..<2).map { _ in
            let document = try counter.step("sim phone 04518DFAA96180 --json")
            #expect(document.contains(#""text":null,"reads":"#))
            return try #require(
                Int(document.drop { $0 != "," }.split(separator: ":").last?.dropLast() ?? ""))
        }
        #expect(reads[1] == reads[0] + 1 && reads[0] > 3)
        try counter.step("sim put 04518DFAA96180")
        #expect(try counter.step("pay 5").hasPrefix("Paid $5.00, $15.00 left"))
        process.signal(SIGTERM)
        #expect(try process.end().status == 0)
    }

    @Test("sees on a phone what each kind of tag shows, and why there is nothing")
    func phone() throws {
        let counter = try Counter()
        #expect(
            try counter.step("sim phone")
                == "Nothing: there is no message on NTAG213 \(Counter.firstUID)")
        try counter.step("issue --name Amanda --balance 20")
        let text = try counter.step("sim phone")
        #expect(text.contains("Amanda") && text.contains("20"))
        #expect(try counter.step("sim phone --json").contains(#""address":null,"text":"{"#))
        try counter.step("sim put NTAG424")
        #expect(try counter.step("sim phone").hasPrefix("Nothing: there is no message on NTAG424"))
        try counter.step("issue --name Ann --balance 20")
        let lost = try counter.run(["sim", "phone"])
        #expect(lost.status == 0 && lost.output.hasPrefix("https://tapcard.invalid/c?p="))
        #expect(lost.errors.contains("config set card-address URL"))
        try counter.expect(
            "sim phone 04000000000001", status: 2,
            complains: "There is no simulated tag \"04000000000001\". Nothing was changed. tapcard "
                + "sim list shows the numbers; NTAG213, NTAG215, NTAG216 or NTAG424 makes a new "
                + "one.")
        #expect(try counter.run(["sim", "phone", "x"]).status == 2)
        try counter.step("sim put \(Counter.firstUID) 04518DFAA96180")
        try counter.expect(
            "sim phone", status: 2,
            complains: "Several tags lie on the simulated reader. Nothing was changed. Name one: "
                + "tapcard sim list shows the numbers.")
        #expect(try counter.run(["--reader", "pn532_uart:/dev/x", "sim", "phone"]).status == 2)
    }

    @Test("names a page of this machine for a simulated reader alone")
    func loopback() throws {
        let counter = try Counter()
        for address in ["http://127.0.0.1:8424/c", "http://localhost:8424/c"] {
            try counter.step("config set card-address \(address)")
        }
        for address in [
            "http://cards.example/c", "http://127.0.0.1/c", "http://127.0.0.10:8424/c",
            "http://127.0.0.1:", "ftp://127.0.0.1:1/c",
        ] {
            #expect(
                try counter.run(["config", "set", "card-address", address]).status == 2,
                "\(address)")
        }
        let real = try Counter(["TAPCARD_READER": "pn532_uart:/dev/ttyUSB9"])
        let ended = try real.run(["config", "set", "card-address", "http://127.0.0.1:8424/c"])
        #expect(ended.status == 2)
        #expect(ended.errors.contains("is for a simulated reader alone"), "\(ended)")
    }

    @Test("is warned of a page that phones would not find")
    func pages() throws {
        let counter = try Counter()
        func set(_ name: String, _ value: String = "") throws -> String {
            let words = ["config", "set", name] + (value.isEmpty ? [] : [value])
            let ended = try counter.run(words)
            #expect(ended.status == 0, "\(ended)")
            return String(ended.output.drop { $0 != "\n" }.dropFirst())
        }
        // Another machine serves it: nothing is known of that but the path.
        #expect(try set("card-address", "https://cards.example/c") == "")
        #expect(
            try set("card-address", "https://cards.example/card") == """
                note     card-address has /card, and the customers' page answers only at /c: phones find it only where a proxy passes that on.
                         Without such a proxy:
                           tapcard config set card-address https://cards.example/c

                """)
        #expect(try set("card-address", "https://cards.example").contains("has no path"))
        // Served here, without anything in front of it.
        let certificate = try Certificate(counter)
        _ = try set("customers-tls-certificate", certificate.path)
        _ = try set("customers-name", "cards.example")
        #expect(try set("customers", "192.0.2.1:443").contains("phones do not find it"))
        #expect(try set("card-address", "https://CARDS.example:8443/c") == "")
        let other = try set("card-address", "https://kiosk.example/c")
        #expect(
            other.contains(
                "leads to kiosk.example, and the customers' page of this station answers only "
                    + "under cards.example, 192.0.2.1."))
        #expect(other.contains("config set customers-name kiosk.example,cards.example"))
        #expect(try counter.run(["doctor"]).output.contains("leads to kiosk.example"))
        #expect(
            try counter.run(["doctor", "--json"]).output.contains(#""id":"card-address""#))
        // A proxy in front passes the name on, and may have another path.
        _ = try set("customers-tls-certificate")
        _ = try set("customers", "127.0.0.1:8424")
        #expect(try set("card-address", "https://cards.example/card") == "")
        #expect(
            try set("card-address", "https://kiosk.example/card").contains(
                "answers only under cards.example, 127.0.0.1, localhost."))
        // An address of this machine has none in front.
        #expect(try set("card-address", "http://127.0.0.1:8424/c") == "")
        #expect(try set("card-address", "http://localhost:8424/x").contains("do not find it"))
        _ = try set("card-address")
        #expect(try !counter.run(["doctor"]).output.contains("card-address"))
    }

    @Test("makes the key file of the page again in the place of the older one, and of nothing else")
    func customerKeys() throws {
        let counter = try Counter()
        let path = counter.file("customer-keys.json")
        try counter.step("keys customers ~/customer-keys.json --overwrite")
        let first = try counter.text(of: path)
        try counter.step("keys rotate")
        try counter.expect(
            "keys customers ~/customer-keys.json", status: 1,
            complains:
                "~/customer-keys.json exists already. Nothing was done. Name another file, or "
                + "add --overwrite to replace a key file of the customers' page.")
        #expect(try counter.text(of: path) == first)
        try counter.step("keys customers ~/customer-keys.json --overwrite")
        let second = try counter.text(of: path)
        #expect(second != first && second.contains(#""id": 2"#))
        #expect(try DurableFile(path).permissions() == 0o600)
        // Neither the keys of the house nor any other file, nor one that cannot be read.
        try counter.step("keys export ~/all.json")
        try counter.write("notes", to: counter.file("notes"))
        try counter.write(String(second.dropLast(9)), to: counter.file("cut"))
        try DurableFile.makeFolder(counter.file("folder"))
        for name in ["all.json", "notes", "cut", "folder"] {
            let before = try? DurableFile(counter.file(name)).read()
            let ended = try counter.run(
                ["keys", "customers", counter.file(name), "--overwrite"])
            #expect(ended.status == 1, "\(name): \(ended)")
            #expect(ended.errors.contains("is not overwritten, because it cannot be read as a key"))
            #expect((try? DurableFile(counter.file(name)).read()) == before)
        }
    }

    @Test("reads in tag info whose keys a chip has, and where it leads")
    func tagInfo() throws {
        let counter = try Counter()
        try counter.step("sim take")
        try counter.step("sim put NTAG424")
        let blank = try counter.step("tag info")
        #expect(blank.contains("Its keys are those of the factory\nPhones open no page by it\n"))
        try counter.step("config set card-address https://cards.example:8443/c")
        try counter.step("issue --balance 20")
        let card = try counter.step("tag info")
        #expect(
            card.contains(
                """
                Its keys have the versions 2, 2, 2, 2, 2
                They name key 1 of this station; tapcard read has the chip prove it
                Phones open a page at cards.example:8443
                """), "\(card)")
        #expect(try counter.step("tag info --json").contains(#""houseKey":1,"halfMade":false,"#))
        try counter.step("keys rotate")
        try counter.step("keys retire 1 --for-ever")
        #expect(try counter.step("tag info").contains("key 1 of this station, which is retired;"))
        // Another house, whose only key is another one, and does not know better.
        let other = try Counter()
        try other.step("keys list")
        try other.step("sim list")
        try other.write(try counter.text(of: counter.simulation.path), to: other.simulation.path)
        #expect(try other.step("tag info").contains("They name key 1 of this station"))
        let fresh = try Counter(["TAPCARD_READER": "sim:\(counter.simulation.path)"])
        try fresh.step("keys list")
        try fresh.write(
            try fresh.text(of: fresh.keys).replacing("\"id\": 1", with: "\"id\": 3"),
            to: fresh.keys)
        #expect(try fresh.step("tag info").contains("They name no key of this station"))
    }

    @Test("is told in plain words that a chip has no pages")
    func pagesOfChips() throws {
        let counter = try CardOperatorTests.station()
        let chip = "This chip has files that keys protect, as an NTAG 424 DNA has, and no pages: "
        try counter.expect(
            "tag dump", status: 4,
            complains: chip + "no dump of it can be made. Nothing was changed on card or ledger. "
                + "tapcard tag info shows what this one is.")
        for line in ["tag format", "tag format --overwrite"] {
            try counter.expect(
                line, status: 4,
                complains: chip + "it never becomes a blank tag again. Nothing was written to it. "
                    + "Its tag can become a new card with tapcard issue --reissue. tapcard tag info "
                    + "shows what this one is.")
        }
        try counter.step("sim put NTAG213")
        try counter.step("tag dump ~/dump.txt")
        try counter.step("sim put 04518DFAA96180")
        let ended = try counter.run(counter.words(of: "tag restore ~/dump.txt --overwrite"))
        #expect(ended.status == 4 && ended.errors.contains("\(chip)no dump can be put onto it."))
    }

    @Test("reads where the keys are explained that lost ones cost the cards")
    func help() throws {
        let help = try Counter().step("help keys")
        let words = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("an NTAG 424 DNA can never be written again, by anyone"))
        #expect(words.contains("the page that phones open needs its key file again"))
    }
}
