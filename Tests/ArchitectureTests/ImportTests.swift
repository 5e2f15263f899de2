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

    @Test("every folder of tests is a target, so that none is left out unnoticed")
    func allTests() throws {
        let manifest = try SourceTree.text("Package.swift")
        for target in Set(try SourceTree.files(below: "Tests").map(\.target)) {
            let name = target.hasSuffix("Tests") ? String(target.dropLast("Tests".count)) : target
            let isDeclared =
                manifest.contains("name: \"\(target)\"")
                || manifest.contains("tests(of: \"\(name)\"")
                || manifest.contains("            of: \"\(name)\"")
            #expect(isDeclared, "\(target)")
        }
    }

    @Test("nothing in the product needs Foundation")
    func foundation() throws {
        let modules = ["Foundation", "FoundationEssentials", "FoundationNetworking"]
        for file in try SourceTree.files(below: "Sources") {
            #expect(!file.imports.contains(where: modules.contains), "\(file)")
        }
    }
}
