import Ledger
import TapcardDomain
import Testing
import Verbs

@Suite("Receipts for a printer")
struct EscPosTests {
    private func bytes(
        _ name: String, currency: Currency = .usd, header: String? = nil, opensDrawer: Bool = false
    ) async throws -> [UInt8] {
        let line = try SaleLine(name: try SaleText(name), price: 350)
        let receipt = try await PrintedReceiptTests.receipt(
            PrintedReceiptTests.operation(.pay, lines: [line]), header: header, currency: currency)
        return EscPos.bytes(receipt, opensDrawer: opensDrawer)
    }

    private func contains(_ part: [UInt8], in bytes: [UInt8]) -> Bool {
        bytes.indices.contains { bytes[$0...].starts(with: part) }
    }

    @Test("A receipt begins with a reset and ends with a cut")
    func frame() async throws {
        let plain = try await bytes("Coffee")
        #expect(plain.starts(with: [0x1B, 0x40]))
        #expect(plain.suffix(4) == [0x1D, 0x56, 66, 0])
        #expect(!contains([0x1B, 0x70], in: plain))
        let opening = try await bytes("Coffee", opensDrawer: true)
        #expect(contains([0x1B, 0x70, 0, 25, 250], in: opening))
        // The total is in bold letters, and only the lines in bold letters are.
        #expect(contains([0x1B, 0x45, 1] + Array("Total".utf8), in: plain))
        #expect(
            plain.indices.count { plain[$0...].starts(with: [0x1B, 0x45, 1]) }
                == plain.indices.count { plain[$0...].starts(with: [0x1B, 0x45, 0]) })
    }

    @Test("Umlauts, the euro sign, and Czech and Polish letters have their code page")
    func letters() async throws {
        let euro = try #require(Currency(code: "EUR"))
        let german = try await bytes("Käse-Brötchen süß", currency: euro)
        #expect(contains([0x1B, 0x74, 19, 0x84] + Array("se-Br".utf8) + [0x94], in: german))
        #expect(contains([0xD5] + Array("3.50".utf8), in: german))
        // č is only in the Central European page, á is in both, so the page changes once.
        let czech = try await bytes("Dvořáčkův řízek")
        #expect(contains([0x1B, 0x74, 18, 0xFD, 0xA0, 0x9F], in: czech))
        #expect(czech.indices.count { czech[$0...].starts(with: [0x1B, 0x74]) } == 1)
        let zloty = try #require(Currency(code: "PLN"))
        #expect(
            contains([0x7A, 0x1B, 0x74, 18, 0x88], in: try await bytes("Tea", currency: zloty)))
    }

    @Test("Letters without a code page are spelled, and the lines stay as wide")
    func spelled() async throws {
        let rupee = try #require(Currency(code: "INR"))
        let indian = try await bytes("Ḥummus 🍛 ☃", currency: rupee)
        #expect(contains(Array("Hummus ? ?".utf8), in: indian))
        #expect(contains(Array("INR 3.50".utf8), in: indian))
        #expect(
            indian.split(separator: 0x0A).allSatisfy { line in
                line.count { (0x20...0x7E).contains($0) } <= PrintedReceipt.width + 2
            })
    }

    @Test("No text reaches the printer as a command")
    func commands() async throws {
        let header = "Shop\u{1B}p0\u{10}\u{14}\u{1D}V\u{0}\u{9B}\u{FEFF}\u{202E}end"
        let sent = try await bytes("Coffee", header: header)
        let plain = try await bytes("Coffee", header: "Shop")
        func commands(_ bytes: [UInt8]) -> [UInt8] { bytes.filter { $0 < 0x20 && $0 != 0x0A } }
        #expect(commands(sent) == commands(plain))
        for value in (0...0x2FFF) as ClosedRange<UInt32> {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = EscPos.spelled(String(Character(scalar)))
            #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
        }
    }
}
