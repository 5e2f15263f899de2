import OperatingSystem
import Testing

/// The text file of a simulated reader, edited as a person would edit it.
struct SimulationFileText {
    let path: String

    /// Changes lines of one tag, such as `page 03`.
    func set(
        _ lines: [String: String], on uid: String = Till.firstUID,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        var isTag = false
        var changed = 0
        let text = try text().split(separator: "\n", omittingEmptySubsequences: false).map { line in
            if line.hasPrefix("uid: ") { isTag = line == "uid: \(uid)" }
            guard isTag, let colon = line.firstIndex(of: ":"),
                let value = lines[String(line[..<colon])]
            else { return String(line) }
            changed += 1
            return "\(line[..<colon]): \(value)"
        }
        #expect(changed == lines.count, sourceLocation: location)
        try DurableFile(path).write(Array(text.joined(separator: "\n").utf8), mode: 0o600)
    }

    /// Arms a fault that `tapcard sim tear` cannot name, such as "frame 4 lost".
    func arm(_ fault: String, at location: SourceLocation = #_sourceLocation) throws {
        let text = try text()
        let armed = text.replacing(/\nfault: [^\n]*/, with: "\nfault: \(fault)")
        #expect(armed != text, sourceLocation: location)
        try DurableFile(path).write(Array(armed.utf8), mode: 0o600)
    }

    func page(_ number: UInt8, on uid: String = Till.firstUID) throws -> String {
        let name = SimulationFileText.name(number)
        let tag = try #require(try text().components(after: "uid: \(uid)\n"))
        return String(try #require(tag.components(after: "\(name): ")).prefix { $0 != "\n" })
    }

    /// Writes bytes from page 4 on, as an app on a phone would.
    func write(_ bytes: [UInt8], on uid: String = Till.firstUID) throws {
        var lines: [String: String] = [:]
        for (number, start) in zip(UInt8(4)..., stride(from: 0, to: bytes.count, by: 4)) {
            let page = bytes[start..<min(start + 4, bytes.count)]
            let padded = page + [UInt8](repeating: 0, count: 4 - page.count)
            lines[SimulationFileText.name(number)] = SimulationFileText.hexadecimal(Array(padded))
        }
        try set(lines, on: uid)
    }

    /// One record of a well-known type in a message of its own.
    static func message(_ type: Character, _ payload: [UInt8]) -> [UInt8] {
        let record = [0xD1, 0x01, UInt8(payload.count)] + Array("\(type)".utf8) + payload
        return [0x03, UInt8(record.count)] + record + [0xFE]
    }

    /// The UID of the tag on the reader.
    func uidOnReader() throws -> String {
        String(try #require(try text().firstMatch(of: /\non-reader: (\w{14})\n/)).output.1)
    }

    private func text() throws -> String {
        String(decoding: try #require(try DurableFile(path).read()), as: UTF8.self)
    }

    private static func name(_ page: UInt8) -> String { "page " + hexadecimal([page]) }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined(separator: " ")
    }
}

extension String {
    /// The rest of this text after the first occurrence of another.
    fileprivate func components(after text: String) -> String? {
        firstRange(of: text).map { String(self[$0.upperBound...]) }
    }
}
