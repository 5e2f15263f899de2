import Testing

@Suite("The functions of docs/TOUR.md")
struct TourTests {
    /// The most steps of a payment that a first reading can follow.
    private static let mostSteps = 25

    @Test("Each function in the tour is in the file that its link names")
    func functions() throws {
        let page = try SourceTree.text("docs/TOUR.md")
        let named = Set(page.matches(of: /`([A-Z]\w*\.\w+)`/).map { String($0.1) })
        let linked = Set(page.matches(of: /\[`([A-Z]\w*\.\w+)`\](?!:)/).map { String($0.1) })
        let links = page.matches(of: /(?m)^\[`(\w+\.\w+)`\]: \.\.\/(Sources\/\S+)$/)
            .map { (name: String($0.1), path: String($0.2)) }
        #expect(named.count > 30)
        #expect(linked == named)
        #expect(links.map(\.name).sorted() == named.sorted())
        for (name, path) in links {
            let file = SourceTree.File(path: path, text: try SourceTree.text(path))
            #expect(try declares(name, in: file), "\(name) is not in \(path)")
        }
    }

    @Test(
        "A function that is not declared in its file is noticed",
        arguments: [
            ("Station.pay", true), ("Station.payTwice", false), ("Station.run", false),
            ("Stations.pay", false), ("Station.amount", false), ("Station.init", false),
        ])
    func madeUp(_ name: String, _ isThere: Bool) throws {
        let path = "Sources/Core/TapcardCore/Station/StationOperations.swift"
        let file = SourceTree.File(path: path, text: try SourceTree.text(path))
        #expect(try declares(name, in: file) == isThere)
    }

    @Test("The tour of a payment has at most 25 steps")
    func steps() throws {
        let lines = try SourceTree.text("docs/TOUR.md").split(separator: "\n")
        let list = lines.drop { !$0.hasPrefix("1. ") }.prefix { !$0.hasPrefix("## ") }
        let steps = list.filter { $0.first?.isNumber == true }
        #expect(steps.count > 10 && steps.count <= TourTests.mostSteps)
    }

    /// Whether a type, or an extension of it, has this function, initializer or property of its own
    /// in the file, by the indentation that the formatter guarantees.
    private func declares(_ name: String, in file: SourceTree.File) throws -> Bool {
        let parts = name.split(separator: ".")
        let kinds = "struct|class|enum|actor|protocol|extension"
        let opening = try Regex("^ *([\\w@()]+ )*(\(kinds)) \(parts[0])\\b")
        let member = parts[1] == "init" ? "init" : "(func|var) \(parts[1])"
        return try file.lines.indices.contains { start in
            let line = file.lines[start]
            guard line.contains(opening) else { return false }
            let margin = String(line.prefix { $0 == " " })
            let declaration = try Regex("^\(margin) {4}([\\w@()]+ )*\(member)\\b")
            return file.lines[(start + 1)...].prefix { $0 != margin + "}" }
                .contains { $0.contains(declaration) }
        }
    }
}
