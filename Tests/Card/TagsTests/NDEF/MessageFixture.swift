import FoundationEssentials
import TestSupport
import Testing

/// One fixture of `fixtures/ndef`: bytes, and the lines that say what they mean.
struct MessageFixture: Sendable, CustomTestStringConvertible {
    /// The first word of a line, and the rest of it.
    struct Line: Sendable {
        let word: String
        let rest: String

        var fields: [String] { rest.split(separator: " ").map(String.init) }
    }

    enum Fault: Error {
        case version(String)
        case line(String)
    }

    private static let version = "tapcard ndef fixtures 1"

    let name: String
    private(set) var bytes: [UInt8] = []
    private(set) var lines: [Line] = []

    var testDescription: String { name }

    func has(_ word: String) -> Bool { lines.contains { $0.word == word } }

    static func all(in file: String) throws -> [MessageFixture] {
        let path = Repository.path("fixtures/ndef/\(file)")
        let content = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        guard let first = content.first, first == version else {
            throw Fault.version(file)
        }
        var fixtures: [MessageFixture] = []
        for text in content.dropFirst() {
            let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
            let line = Line(word: parts[0], rest: parts.count > 1 ? parts[1] : "")
            if line.word == "name" {
                fixtures.append(MessageFixture(name: line.rest))
            } else {
                guard let last = fixtures.indices.last else { throw Fault.line(line.word) }
                try fixtures[last].add(line)
            }
        }
        return fixtures
    }

    private mutating func add(_ line: Line) throws {
        guard line.word == "hex" else {
            lines.append(line)
            return
        }
        for field in line.fields {
            guard let byte = UInt8(field, radix: 16) else { throw Fault.line(field) }
            bytes.append(byte)
        }
    }
}
