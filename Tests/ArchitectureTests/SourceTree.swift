import Foundation
import TestSupport

/// The repository's files, for the tests of its rules.
enum SourceTree {
    static let root = URL(filePath: Repository.root)

    /// One source file.
    struct File: Sendable, CustomStringConvertible {
        /// The path from the root, as in `Sources/Card/Tags/NDEF/TLV.swift`.
        let path: String
        let lines: [String]

        init(path: String, text: String) {
            self.path = path
            lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        }

        /// `Sources/<floor>/<target>/...`.
        var target: String {
            let parts = path.split(separator: "/").map(String.init)
            return parts[0] == "Sources" ? parts[2] : parts[1]
        }

        var name: String { path.split(separator: "/").last.map(String.init) ?? path }

        /// The modules that it imports, with any access level or attribute.
        var imports: [String] {
            lines.compactMap { line in
                let words = line.split(separator: " ").map(String.init)
                guard let place = words.firstIndex(of: "import"), place <= 2,
                    words[..<place].allSatisfy({ $0.hasPrefix("@") || accessWords.contains($0) }),
                    words.count > place + 1
                else { return nil }
                // `import struct Module.Type` names the kind of thing first.
                let kinds = [
                    "struct", "class", "enum", "protocol", "func", "var", "let", "typealias",
                ]
                let name = kinds.contains(words[place + 1]) ? words.last : words[place + 1]
                return name?.split(separator: ".").first.map(String.init)
            }
        }

        var description: String { path }
    }

    private static let accessWords = ["public", "package", "internal", "private", "fileprivate"]

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// Every Swift file below a folder of the root.
    static func files(below folder: String) throws -> [File] {
        try swift.get().filter { $0.path.hasPrefix("\(folder)/") }
    }

    /// Every Swift file, read once for all tests.
    private static let swift = Result {
        try ["Sources", "Tests", "Benchmarks", "Fuzz/Sources"].flatMap(paths)
            .filter { $0.hasSuffix(".swift") }.map { File(path: $0, text: try text($0)) }
    }

    static func paths(below folder: String) throws -> [String] {
        let base = root.appending(path: folder)
        let found = FileManager.default.enumerator(atPath: base.path) ?? .init()
        return found.compactMap { $0 as? String }.sorted().map { "\(folder)/\($0)" }
    }
}
