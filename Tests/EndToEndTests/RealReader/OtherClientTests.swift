import OperatingSystem
import OtherClients
import PN532Emulator
import SimulatedReader
import Tags
import TestSupport
import Testing
import TextCodecs

/// Cards go back and forth between tapcard and other people's programs, on one reader.
@Suite("Cards that tapcard and other programs share", .ownThread)
struct OtherClientTests {
    private func libnfc(
        _ name: String, _ words: [String], _ station: EmulatedTill, answers: String = ""
    ) throws -> Client.Ended {
        let client = try Client.libnfc(name)
        func run() throws -> Client.Ended {
            try client.run(words, device: station.reader.connectionString, answers: answers)
        }
        var ended = try run()
        // On a busy machine the played reader may answer too late for libnfc.
        for _ in 0..<Till.mostTries where ended.text.contains("Error opening NFC device") {
            ended = try run()
        }
        return ended
    }

    private func nfcpy(_ words: [String], _ station: EmulatedTill) throws -> String {
        let device = try #require(station.reader.devicePath)
        let ended = try Client.nfcpy().run([device] + words)
        #expect(ended.status == 0, "\(ended.text)")
        return ended.text
    }

    @Test("A top-up works after nfc-list has read the card")
    func list() throws {
        let station = try EmulatedTill()
        try station.till.step("demo")
        let seen = try libnfc("nfc-list", [], station)
        #expect(seen.text.contains("UID (NFCID1): 04  ac  6b  72  ba  6c  80"))
        #expect(try station.till.step("add 5").hasPrefix("Added $5.00"))
    }

    @Test(
        "The nfc-mfultralight tool reads the bytes that tapcard wrote", arguments: Type2Chip.known)
    func read(chip: Type2Chip) throws {
        let station = try EmulatedTill()
        station.tell("present \(chip.name)")
        try station.till.step("issue --name Zoë --balance 12.50")
        let file = station.till.file("card.mfd")
        let ended = try libnfc("nfc-mfultralight", ["r", file], station)
        #expect(ended.text.contains("(0 pages failed)"), "\(ended.text)")
        let bytes = try #require(try DurableFile(file).read())
        let uid = try #require(station.reader.simulation.onReader.first)
        let tag = try #require(station.reader.simulation.tag(uid))
        #expect(bytes == (0..<UInt8(chip.pageCount)).flatMap { tag.visible($0).bytes })
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains(#"{"balance":12.50    ,"name":"Zoë","state":"#))
    }

    @Test("An old image restored with nfc-mfultralight is detected as rolled back")
    func oldImage() throws {
        let station = try EmulatedTill()
        try station.till.step("issue --balance 10")
        let file = station.till.file("card.mfd")
        _ = try libnfc("nfc-mfultralight", ["r", file], station)
        try station.till.step("pay 4")
        let ended = try libnfc(
            "nfc-mfultralight", ["w", file], station, answers: String(repeating: "n\n", count: 8))
        #expect(ended.status == 0, "\(ended.text)")
        let read = try station.till.runPatiently("read --json")
        #expect(read.status == 7)
        #expect(read.output.contains(#""seal":"rolled-back""#))
    }

    @Test("The message that tapcard wrote can be read with nfcpy")
    func message() throws {
        let station = try EmulatedTill()
        try station.till.step("demo")
        let message = try nfcpy(["read"], station)
        let json = #"{"balance":0.00     ,"id":1,"name":"Amanda Gonzalez","state":"unscratched"}"#
        let hexadecimal = json.utf8.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count < 2 ? "0" + digits : digits
        }.joined()
        #expect(message.contains(hexadecimal), "\(message)")
    }

    @Test("A message written with nfcpy can be read and adopted")
    func foreign() throws {
        let station = try EmulatedTill()
        let json =
            #"{"firstName":"Amanda","lastName":"Gonzalez","accountValue":12.5,"id":1}"#
        let payload = [UInt8(json.utf8.count)] + [UInt8(ascii: "T")] + Array(json.utf8)
        let record = ([0xD1, 0x01] + payload).map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count < 2 ? "0" + digits : digits
        }.joined()
        _ = try nfcpy(["write", record], station)
        let read = try station.till.step("read --json")
        #expect(read.contains(#""seal":"unsealed""#))
        #expect(read.contains(#""name":"Amanda Gonzalez","balance":"12.50""#))
        try station.till.step("adopt --accept-balance 12.50")
        #expect(try station.till.step("pay 2.50").contains("$10.00"))
    }

    @Test(
        "A link goes from tapcard to nfcpy and back on every kind of tag",
        arguments: ["NTAG213", "NTAG215", "NTAG216", "NTAG424"])
    func link(chip: String) throws {
        let station = try EmulatedTill()
        station.tell("present \(chip)")
        let message = try NDEFMessage([NDEFURI("https://example.com/17").record]).encoded()
        let text = Hexadecimal.encode(message)
        try station.write("tag write --overwrite --url https://example.com/17")
        #expect(try nfcpy(["read"], station).contains(text))
        let other = try NDEFMessage([
            NDEFText(language: "en", text: String(repeating: "Another text. ", count: 8)).record
        ]).encoded()
        _ = try nfcpy(["write", Hexadecimal.encode(other)], station)
        let read = try station.till.step("tag read --json")
        #expect(read.contains(#""message":"\#(Hexadecimal.encode(other))""#), "\(read)")
        try station.write("tag write --overwrite --url https://example.com/17")
        #expect(try nfcpy(["read"], station).contains(text))
    }

    @Test(
        "A message goes from tapcard to nfc-mfultralight and back", arguments: Type2Chip.known)
    func image(chip: Type2Chip) throws {
        let station = try EmulatedTill(isSetUp: false)
        station.tell("present \(chip.name)")
        let file = station.till.file("tag.mfd")
        func image() throws -> [UInt8] {
            let ended = try libnfc("nfc-mfultralight", ["r", file], station)
            #expect(ended.text.contains("(0 pages failed)"), "\(ended.text)")
            return try #require(try DurableFile(file).read())
        }
        // After page 3, blank tags but the NTAG213 hold an empty message; that one first holds a
        // lock control block of five bytes.
        let start = chip == .ntag213 ? 21 : 16
        let uid = try #require(station.reader.simulation.onReader.first)
        let link = "https://example.com/\(Hexadecimal.encode(uid))"
        let message = try NDEFMessage([NDEFURI(link).record]).encoded()
        let block = [0x03, UInt8(message.count)] + message + [0xFE]
        let line = "tag write --overwrite --url https://example.com/{uid}"
        for words in [line, line + " --mirror uid"] {
            try station.write(words)
            #expect(try image()[start...].starts(with: block), "\(words)")
        }
        try station.write(line)
        // Longer than 254 bytes, if the tag has room: then the length takes three bytes.
        let other = try NDEFMessage([
            .media("a/b", [UInt8](repeating: 0x31, count: chip == .ntag213 ? 100 : 300))
        ]).encoded()
        var bytes = try image()
        let longer = TLVArea.encoded(message: other)
        bytes.replaceSubrange(start..<start + longer.count, with: longer)
        try DurableFile(file).write(bytes)
        let written = try libnfc(
            "nfc-mfultralight", ["w", file], station, answers: String(repeating: "n\n", count: 8))
        #expect(written.status == 0, "\(written.text)")
        let read = try station.till.step("tag read --json")
        #expect(read.contains(#""message":"\#(Hexadecimal.encode(other))""#), "\(read)")
        try station.write(line)
        #expect(try image()[start...].starts(with: block))
    }

    @Test("Text for phones that nfcpy overwrote is rewritten from the ledger")
    func overwritten() throws {
        let station = try EmulatedTill()
        try station.till.step("issue --balance 10")
        _ = try nfcpy(["write", "D1010454026E6F21"], station)
        let read = try station.till.step("read --json")
        #expect(read.contains(#""balance":"10.00""#))
        #expect(read.contains(#""display":"repaired""#))
        #expect(try nfcpy(["read"], station).contains("7B2262616C616E6365223A31302E3030"))
    }
}
