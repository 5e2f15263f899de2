import Foundation
import Testing

@Suite("Imports between targets")
struct ImportTests {
    private let rules = FloorRules(manifest: .package)

    @Test("Each file imports only what Package.swift gives its target")
    func files() throws {
        let files = try SourceTree.files(below: "Sources")
        #expect(files.count > 100)
        for file in files { #expect(rules.violations(in: file) == []) }
    }

    @Test("Package.swift follows the rules for floors")
    func floors() {
        #expect(rules.violations == [])
    }

    @Test(
        "A dependency that breaks the rules for floors is found",
        arguments: [
            ("Core/TapcardCore", "Ledgers/SQLiteLedger"), ("Card/Cards", "Core/TapcardCore"),
            ("Delivery/TillServer", "Readers/PCSCReader"), ("Domain/Money", "Support/TextCodecs"),
            ("Readers/PCSCReader", "Card/Cards"),
            ("Readers/PCSCReader", "Readers/LibNFCReader"),
            ("Ledgers/SQLiteLedger", "Ledgers/PostgreSQLLedger"),
            ("Delivery/TillServer", "Delivery/CommandLine"),
            ("Delivery/CommandLine", "Delivery/CustomerServer"),
            ("Attic/Any", "Domain/Money"),
        ])
    func forbidden(room: String, other: String) throws {
        func name(_ path: String) -> Substring { path.split(separator: "/")[1] }
        let text = """
            {"products": [], "targets": [
            {"name": "\(name(other))", "path": "Sources/\(other)", "dependencies": []},
            {"name": "\(name(room))", "path": "Sources/\(room)",
            "dependencies": [{"byName": ["\(name(other))", null]}]}]}
            """
        let manifest = try JSONDecoder().decode(Manifest.self, from: Data(text.utf8))
        #expect(
            FloorRules(manifest: manifest).violations
                == ["\(name(room)) must not depend on \(name(other))"])
    }

    @Test(
        "A forbidden import is found in any spelling",
        arguments: [
            "import Foundation", "public import SQLiteLedger", "internal import Glibc",
            "@_exported import Ledger", "@preconcurrency public import CSQLite",
            "import struct TapcardCore.Station",
        ])
    func forbidden(line: String) throws {
        let file = SourceTree.File(
            path: "Sources/Domain/TapcardDomain/Money.swift", text: "\(line)\nlet one = 1\n")
        #expect(rules.violations(in: file).count == 1)
    }

    @Test(
        "The pure part of a target must not import the system, and the rest may",
        arguments: [
            ("Readers/SimulatedReader/Field/Field.swift", 1),
            ("Readers/SimulatedReader/Simulation.swift", 0),
            ("Readers/ReaderDiagnosis/Judgment.swift", 1),
            ("Readers/ReaderDiagnosis/USB/Devices.swift", 0),
        ])
    func parts(path: String, count: Int) {
        let file = SourceTree.File(path: "Sources/\(path)", text: "import BlockingLane\n")
        #expect(rules.violations(in: file).count == count)
    }

    @Test("Every source and test file belongs to a target")
    func folders() throws {
        let paths = Set(Manifest.package.targets.compactMap(\.path))
        for file in try SourceTree.files(below: "Sources") + SourceTree.files(below: "Tests") {
            #expect(paths.contains { file.path.hasPrefix("\($0)/") }, "\(file)")
        }
    }

    @Test("Every target of the product has a row in docs/ARCHITECTURE.md")
    func described() throws {
        let page = try SourceTree.text("docs/ARCHITECTURE.md").split(separator: "\n")
        for room in Manifest.package.rooms where room.floor != "Libraries" {
            #expect(
                page.contains { $0.hasPrefix("| `") && $0.contains("`\(room.name)`") },
                "\(room.name)")
        }
    }
}
