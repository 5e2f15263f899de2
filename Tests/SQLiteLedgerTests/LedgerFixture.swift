import Testing

/// Ledgers of earlier versions: the files in `fixtures/ledgers`.
enum LedgerFixture {
    static func text(_ name: String) throws -> String {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let bytes = File.read("/\(root)/fixtures/ledgers/\(name)")
        try #require(!bytes.isEmpty, "there is no \(name)")
        return String(decoding: bytes, as: UTF8.self)
    }
}
