import Testing

@Suite("Who imports whom")
struct ImportTests {
    @Test("only along the arrows")
    func arrows() throws {
        let files = try SourceTree.files(below: "Sources")
        #expect(files.count > 100)
        for file in files { #expect(ImportRules.violations(in: file).isEmpty) }
    }

    @Test("every target has a rule, and every rule a target")
    func complete() throws {
        let targets = Set(try SourceTree.files(below: "Sources").map(\.target))
        #expect(targets == Set(ImportRules.allowed.keys))
    }

    @Test(
        "a forbidden import is found, however it is written",
        arguments: [
            "import Foundation", "public import SQLiteLedger", "internal import Glibc",
            "@_exported import Ledger", "@preconcurrency public import CSQLite",
            "import struct TapcardCore.Station",
        ])
    func forbidden(line: String) throws {
        let file = SourceTree.File(
            path: "Sources/Domain/TapcardDomain/Money.swift", text: "\(line)\nlet one = 1\n")
        #expect(ImportRules.violations(in: file).count == 1)
    }

    @Test("nothing in the product needs Foundation")
    func foundation() throws {
        let modules = ["Foundation", "FoundationEssentials", "FoundationNetworking"]
        for file in try SourceTree.files(below: "Sources") {
            #expect(!file.imports.contains(where: modules.contains), "\(file)")
        }
    }
}
