public import Tags
import TextCodecs

/// The text form of a simulation, so that simulated cards persist between commands and can be
/// viewed, copied, and restored.
extension Simulation {
    private static let heading = "tapcard simulation 1"
    private static let tagHeading = "tapcard tag "
    private static let onReaderField = "on-reader"
    private static let lastField = "last-tag"
    private static let faultField = "fault"
    private static let nothing = "none"

    /// The text of a simulation file.
    public var text: String {
        let uids =
            onReader.isEmpty
            ? Simulation.nothing : onReader.map(Hexadecimal.encode).joined(separator: " ")
        let head = """
            \(Simulation.heading)
            \(Simulation.onReaderField): \(uids)
            \(Simulation.faultField): \(fault?.description ?? Simulation.nothing)
            \(Simulation.lastField): \(lastOnReader.map(Hexadecimal.encode) ?? Simulation.nothing)

            """
        let dumps = tags.map { "\n" + TagDump(memory: $0, withSecrets: true).text }
        let chips = chips.map { "\n" + $0.text }
        return head + dumps.joined() + chips.joined()
    }

    /// Parses the text of a simulation file.
    public init(parsing text: String) throws(ReaderError) {
        var lines = text.utf8.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
        ).map { String(Substring($0)) }[...]
        guard lines.popFirst() == Simulation.heading else {
            throw ReaderError(.noReader, "the file is not a tapcard simulation")
        }
        let fields = try Simulation.fields(&lines)
        guard let current = try fields[Simulation.onReaderField].map(Simulation.uids),
            let last = try fields[Simulation.lastField].map(Simulation.uids),
            let fault = fields[Simulation.faultField]
        else {
            throw ReaderError(
                .noReader,
                "the simulation has no line for the tags on the reader, for the last tag, or "
                    + "for faults"
            )
        }
        let chips = lines.firstIndex { $0.hasPrefix(NTAG424Memory.heading) } ?? lines.endIndex
        self.init(
            try Simulation.tags(lines[..<chips]), chips: try Simulation.chips(lines[chips...]))
        guard tags.count + self.chips.count <= Simulation.maximumTags,
            !self.chips.contains(where: { tag($0.number) != nil })
        else {
            throw ReaderError(
                .noReader, "there are too many tags, or two tags have the same UID")
        }
        // The last tag is put on the reader first and then replaced by the current tags. If there
        // are none, `put` keeps it as the last tag.
        put(last)
        guard onReader == last, last.count <= 1 else {
            throw ReaderError(.noReader, "the last tag is missing from the file")
        }
        put(current)
        self.fault = Fault(fault)
        guard self.fault != nil || fault == Simulation.nothing else {
            throw ReaderError(.noReader, "the fault \"\(fault)\" is unknown")
        }
        // `put` ignores tags that are not in the drawer.
        guard onReader == current, Set(current).count == current.count else {
            throw ReaderError(
                .noReader, "a tag on the reader is missing from the file or listed twice")
        }
    }

    /// Parses the lines before the first tag. Each field may occur only once.
    private static func fields(
        _ lines: inout ArraySlice<String>
    ) throws(ReaderError) -> [String: String] {
        var fields: [String: String] = [:]
        while let line = lines.first, !line.hasPrefix(tagHeading),
            !line.hasPrefix(NTAG424Memory.heading)
        {
            lines.removeFirst()
            // Blank lines and comments are allowed between the fields.
            if line.isEmpty || line.hasPrefix("#") { continue }
            let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
            guard parts.count == 2, [onReaderField, lastField, faultField].contains(parts[0]),
                fields.updateValue(parts[1], forKey: parts[0]) == nil
            else {
                throw ReaderError(.noReader, "unexpected line \"\(line)\"")
            }
        }
        return fields
    }

    private static func uids(_ text: String) throws(ReaderError) -> [[UInt8]] {
        if text == nothing { return [] }
        var uids: [[UInt8]] = []
        for word in text.split(separator: " ") {
            guard let uid = Hexadecimal.decode(word) else {
                throw ReaderError(.noReader, "\"\(word)\" is not a UID")
            }
            uids.append(uid)
        }
        return uids
    }

    /// Parses the NTAG 424 cards, which come after all tags.
    private static func chips(
        _ lines: ArraySlice<String>
    ) throws(ReaderError) -> [NTAG424Memory] {
        var texts: [String] = []
        for line in lines where !line.isEmpty {
            if line.hasPrefix(NTAG424Memory.heading) { texts.append("") }
            guard !texts.isEmpty else { continue }
            texts[texts.count - 1] += line + "\n"
        }
        var chips: [NTAG424Memory] = []
        for text in texts {
            guard let chip = NTAG424Memory(parsing: text),
                !chips.contains(where: { $0.number == chip.number })
            else {
                throw ReaderError(
                    .noReader, "NTAG 424 number \(chips.count + 1) in the simulation is invalid")
            }
            chips.append(chip)
        }
        return chips
    }

    private static func tags(_ lines: ArraySlice<String>) throws(ReaderError) -> [TagMemory] {
        var dumps: [[String]] = []
        for line in lines {
            if line.hasPrefix(tagHeading) { dumps.append([]) }
            guard !dumps.isEmpty else { continue }
            dumps[dumps.count - 1].append(line)
        }
        guard dumps.count <= maximumTags else {
            throw ReaderError(.noReader, "the simulation has more than \(maximumTags) tags")
        }
        var tags: [TagMemory] = []
        for dump in dumps {
            // The blank line between two dumps is not part of either of them.
            let text = dump.joined(separator: "\n")
            do {
                let memory = try TagDump(
                    parsing: text.hasSuffix("\n\n") ? String(text.dropLast()) : text
                )
                .memory()
                guard !tags.contains(where: { $0.uid == memory.uid }) else {
                    throw Type2Error(.contradiction, "two tags have the same UID")
                }
                tags.append(memory)
            } catch {
                throw ReaderError(.noReader, "tag \(tags.count + 1) in the simulation: \(error)")
            }
        }
        return tags
    }
}
