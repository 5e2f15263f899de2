import OperatingSystem
import OtherClients
import Tags
import TestSupport
import Testing
import TextCodecs

/// Messages that tapcard and another NDEF library exchange.
@Suite("Messages that ndeflib reads and writes", .ownThread)
struct NDEFLibraryTests {
    private static let count = 1_000

    @Test("What ndeflib writes means the same to tapcard, and is written back unchanged")
    func reading() throws {
        let made = try Client.ndeflib().run(["make", "36", "\(Self.count)"])
        #expect(made.status == 0)
        let lines = made.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(lines.count == 2 * Self.count)
        for index in stride(from: 0, to: lines.count - 1, by: 2) {
            let bytes = try #require(Hexadecimal.decode(String(lines[index + 1])))
            let message = try NDEFMessage(decoding: bytes)
            #expect(Self.meaning(of: message) == lines[index])
            #expect(try message.encoded() == bytes)
        }
    }

    @Test("What tapcard writes means the same to ndeflib")
    func writing() throws {
        var random = SeededGenerator(seed: 36)
        let messages = (0..<Self.count).map { _ in Self.message(&random) }
        let folder = try TemporaryFolder()
        let lines = try messages.map { message in
            Hexadecimal.encode(try message.encoded()) + "\n"
        }
        try DurableFile(folder.file).write(Array(lines.joined().utf8))
        let read = try Client.ndeflib().run(["read", folder.file])
        #expect(read.status == 0, "\(read.text)")
        let meanings = read.text.split(separator: "\n", omittingEmptySubsequences: false)
            .dropLast()
        #expect(meanings.count == messages.count)
        for (line, message) in zip(meanings, messages) {
            #expect(line == Self.meaning(of: message))
        }
    }

    private static func digits(_ bytes: some Sequence<UInt8>) -> String {
        let text = Hexadecimal.encode(Array(bytes))
        return text.isEmpty ? "-" : text
    }

    /// In the words of the client.
    private static func meaning(of message: NDEFMessage) -> String {
        message.records.map { record in
            switch RecordContent(record) {
            case .text(let text): "text \(digits(text.language.utf8)) \(digits(text.text.utf8))"
            case .uri(let uri): "uri \(digits(uri.utf8))"
            case .smartPoster(let poster):
                "poster \(digits(poster.uri.utf8)) "
                    + poster.titles.sorted { $0.language < $1.language }
                    .map { "\(digits($0.language.utf8)) \(digits($0.text.utf8))" }
                    .joined(separator: " ")
            case .wifi(let networks):
                "wifi \(digits(networks[0].name.utf8)) \(digits(networks[0].password.utf8))"
            default:
                "\(digits(type(of: record).utf8)) \(digits(record.id)) \(digits(record.payload))"
            }
        }.joined(separator: "; ")
    }

    private static func type(of record: NDEFRecord) -> String {
        let name = String(decoding: record.type, as: UTF8.self)
        return switch record.format {
        case .external: "urn:nfc:ext:\(name)"
        case .wellKnown: "urn:nfc:wkt:\(name)"
        case .unknown: "unknown"
        default: name
        }
    }

    private static func message(_ random: inout SeededGenerator) -> NDEFMessage {
        NDEFMessage(
            (0...Int.random(in: 0...3, using: &random)).map { _ in record(&random) })
    }

    private static func record(_ random: inout SeededGenerator) -> NDEFRecord {
        let letters = Array("abc XYZ 0189 .,:;-_/?&=%#+ äß€中🎫")
        func text(_ most: Int) -> String {
            String(
                (0..<Int.random(in: 1...most, using: &random)).map { _ in
                    letters.randomElement(using: &random) ?? " "
                })
        }
        switch Int.random(in: 0...4, using: &random) {
        case 0: return NDEFText(language: "en", text: text(60)).record
        case 1:
            let prefix = NDEFURI.prefixes.randomElement(using: &random) ?? ""
            return NDEFURI(prefix + "example/\(Int.random(in: 0...99, using: &random))").record
        case 2:
            return WiFiNetwork(name: text(8), password: "12345678", security: .wpa).record
        case 3:
            return .media(
                "image/png",
                (0..<Int.random(in: 1...100, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                })
        default: return .androidApp("com.example.app\(Int.random(in: 0...9, using: &random))")
        }
    }
}
