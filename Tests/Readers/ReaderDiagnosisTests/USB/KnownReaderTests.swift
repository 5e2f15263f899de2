import Foundation
import PCSCReader
import ReaderDiagnosis
import TestSupport
import Testing

@Suite("The table of known readers")
struct KnownReaderTests {
    @Test("No USB numbers occur twice in the table")
    func once() {
        let numbers = KnownReaders.all.map(\.numbers)
        #expect(Set(numbers).count == numbers.count)
    }

    @Test(
        "Every reader that libnfc 1.8 drives is in the table, with its driver",
        arguments: [
            "072f:2200 acr122_usb", "072f:90cc acr122_usb", "072f:2214 acr122_usb",
            "04cc:0531 pn53x_usb", "04cc:2533 pn53x_usb", "04e6:5591 pn53x_usb",
            "04e6:5594 pn53x_usb", "054c:0193 pn53x_usb", "054c:02e1 pn53x_usb",
            "1fd3:0608 pn53x_usb",
        ])
    func libnfc(line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let model = KnownReaders.all.first { $0.numbers == words[0] }
        #expect(model?.service == .libnfc(words[1]))
    }

    /// A line of a driver's list: the USB numbers and pcscd's name for the reader.
    private struct Listed {
        let numbers: String
        let name: String
    }

    /// The contactless readers that libccid and acsccid list.
    private static func listed() throws -> [Listed] {
        let file = URL(filePath: Repository.path("fixtures/readers/contactless.txt"))
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
            .map { line in
                let parts = line.split(separator: "\t").map(String.init)
                try #require(parts.count == 3, "\(line)")
                return Listed(numbers: parts[0], name: parts[2])
            }
    }

    /// The readers that the installed libccid drives; empty if there is none, or if it is newer
    /// than the list.
    private static func installed() throws -> [Listed] {
        guard let data = try? Data(contentsOf: URL(filePath: "/etc/libccid_Info.plist")),
            let list = try unsafe PropertyListSerialization.propertyList(from: data, format: nil)
                as? [String: Any],
            let version = list["CFBundleShortVersionString"] as? String,
            version.compare("1.8.2", options: .numeric) != .orderedDescending,
            let vendors = list["ifdVendorID"] as? [String],
            let products = list["ifdProductID"] as? [String],
            let names = list["ifdFriendlyName"] as? [String]
        else { return [] }
        return zip(zip(vendors, products), names).map { numbers, name in
            let digits = [numbers.0, numbers.1].map { $0.dropFirst(2).lowercased() }
            return Listed(numbers: digits.joined(separator: ":"), name: name)
        }
    }

    @Test("Every contactless reader that libccid or acsccid lists is in the table")
    func smartCardReaders() throws {
        let models = Dictionary(
            KnownReaders.all.map { ($0.numbers, $0) }, uniquingKeysWith: { first, _ in first })
        let listed = try Self.listed()
        #expect(listed.contains { $0.numbers == "072f:2308" && $0.name.contains("ACR1552") })
        let numbers = Set(listed.map(\.numbers))
        for reader in try listed + Self.installed().filter({ numbers.contains($0.numbers) }) {
            let word = models[reader.numbers]?.smartCardWord
            #expect(word.map(reader.name.contains) == true, "\(reader)")
        }
        for case let model in KnownReaders.all where model.smartCardWord != nil {
            #expect(numbers.contains(model.numbers), "\(model.make): no driver lists it")
        }
    }

    @Test("No contactless reader of the installed libccid is missing")
    func installedReaders() throws {
        let known = Set(KnownReaders.all.map(\.numbers))
        // Readers of 125 kHz and tokens.
        let others = ["OMNIKEY 5025-CL", "RFID Token"]
        let missing = try Self.installed().filter { reader in
            !known.contains(reader.numbers) && !others.contains(where: reader.name.hasSuffix)
                && reader.name.firstMatch(of: /NFC|PICC|RFID|[Cc]ontactless|\bCL\b(?!-)/) != nil
                && !reader.name.contains("Security Key")
        }
        #expect(missing.map(\.name) == [])
    }

    @Test("Every reader with PC/SC commands of its own is in the table")
    func manners() {
        let words = KnownReaders.all.compactMap { $0.smartCardWord?.lowercased() }
        for reader in KnownReader.all {
            #expect(words.contains { $0.contains(reader.fragment) }, "\(reader.fragment)")
        }
    }

    @Test("A reader is found by its USB numbers, and an unknown one is not")
    func lookup() {
        #expect(KnownReaders.model(vendor: 0x072F, product: 0x223B)?.make == "ACS ACR1252U")
        #expect(KnownReaders.model(vendor: 0x072F, product: 0xFFFF) == nil)
        #expect(KnownReaders.model(vendor: 0x1D6B, product: 0x0002) == nil)
    }

    @Test("Every unsupported reader has advice on what to use instead")
    func advice() {
        let advice = KnownReaders.all.compactMap {
            if case .unsupported(let text) = $0.service { text } else { nil }
        }
        #expect(!advice.isEmpty)
        #expect(
            advice.allSatisfy { $0.contains("Use an ACR122U") || $0.contains("use an ACR122U") })
    }
}
