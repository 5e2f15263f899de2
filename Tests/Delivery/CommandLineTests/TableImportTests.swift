import CardCryptography
import OperatingSystem
import StationFiles
import Testing
import TextCodecs

@Suite("Importing a table of card keys at a terminal")
struct TableImportTests {
    private static let passphrase = TablePassphrase(random: Array(0..<25))

    private static func table() throws -> KeyRing {
        let rows = CardKeyRows([
            CardKeyRows.Row(
                uid: [0x04, 1, 2, 3, 4, 5, 6], record: [UInt8](repeating: 7, count: 32),
                selling: AESKey([UInt8](repeating: 8, count: AESKey.size)))
        ])
        let entry = KeyEntry(
            id: 3, mark: "0123456789abcdef", rows: try #require(rows),
            files: [UInt8](repeating: 9, count: 32), status: .active, created: "2026-11-26")
        return try #require(KeyRing(entries: [entry])).sealing(currency: "EUR")
    }

    private static func brought(_ bench: ProgramBench) throws -> String {
        try bench.write(
            SealedTable(try table(), with: passphrase).json().prettyText, to: "copy.json")
    }

    @Test("A table is imported with the passphrase typed at the terminal")
    func typed() async throws {
        let bench = try ProgramBench(typing: ["01234 56789 abcde fghjk mnpqr"])
        let path = try Self.brought(bench)
        let ended = await bench.run("keys import \(path) --json")
        #expect(
            ended
                == .init(
                    status: 0,
                    text: #"{"result":"done","keys":[3],"currency":"EUR","table":1}"# + "\n"))
        #expect(try KeyFile(path: bench.path(of: "keys.json")).load() == Self.table())
    }

    @Test(
        "A table is not imported without the right passphrase",
        arguments: [
            (nil, 1, "Canceled. Nothing was changed."),
            (
                "secret", 2,
                "The passphrase must be 25 characters long and contain only letters and digits. "
                    + "The key file was not changed."
            ),
            (
                "01234-56789-ABCDE-FGHJK-MNPQS", 1,
                "cannot be read: the passphrase is wrong for this file, or the file was "
                    + "altered. The key file was not changed. Check the passphrase and try again, "
                    + "or make a new table: tapcard keys table FILE"
            ),
        ] as [(String?, Int32, String)])
    func refusals(line: String?, status: Int32, words: String) async throws {
        let bench = try ProgramBench(typing: [line])
        let path = try Self.brought(bench)
        let ended = await bench.run("keys import \(path)")
        #expect(ended.status == status && ended.text.contains(words), "\(ended)")
        #expect(try DurableFile(bench.path(of: "keys.json")).read() == nil)
    }

    @Test("A passphrase in the settings file or in a variable that is not UTF-8 is refused")
    func variable() async throws {
        let bench = try ProgramBench()
        let path = try Self.brought(bench)
        let name = "TAPCARD_TABLE_PASSPHRASE"
        let unread = await bench.run("keys import \(path)", malformed: [name])
        #expect(unread.status == 2 && unread.text.contains("\(name) is not valid UTF-8"))
        try bench.set(#"{"table-passphrase":"01234-56789-ABCDE-FGHJK-MNPQR"}"#)
        let inFile = await bench.run("keys import \(path)")
        #expect(inFile.status == 2)
        #expect(inFile.text.contains("is not allowed in this file; set \(name)"))
    }
}
