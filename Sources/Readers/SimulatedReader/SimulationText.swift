public import TagReading
import TextCodecs
import Type2Tag

/// A simulation as text, so that a simulated card survives between two commands, and can be
/// looked at, copied and put back.
extension Simulation {
    private static let heading = "tapcard simulation 1"
    private static let tagHeading = "tapcard tag "

    public var text: String {
        let lying =
            onReader.isEmpty ? "none" : onReader.map(Hexadecimal.encode).joined(separator: " ")
        let head = """
            \(Simulation.heading)
            on-reader: \(lying)
            last-on-reader: \(lastOnReader.map(Hexadecimal.encode) ?? "none")
            fault: \(fault?.description ?? "none")

            """
        let dumps = tags.map { "\n" + TagDump(memory: $0, withSecrets: true).text }
        return head + dumps.joined()
    }

    public init(parsing text: String) throws(ReaderError) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)[
            ...]
        guard lines.popFirst() == Simulation.heading else {
            throw ReaderError(.noReader, "the file is no simulation of tapcard")
        }
        var lying: [[UInt8]] = []
        var last: [[UInt8]] = []
        var fault: Fault?
        while let line = lines.first, !line.hasPrefix(Simulation.tagHeading) {
            lines.removeFirst()
            if line.isEmpty || line.hasPrefix("#") { continue }
            let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
            let value = parts.count == 2 ? String(parts[1].drop { $0 == " " }) : ""
            switch parts.first {
            case "on-reader":
                lying = try Simulation.uids(value)
            case "last-on-reader":
                last = try Simulation.uids(value)
            case "fault":
                fault = Fault(value)
                if fault == nil && value != "none" {
                    throw ReaderError(.noReader, "the simulation has no fault \"\(value)\"")
                }
            default:
                throw ReaderError(.noReader, "the simulation has a line \"\(line)\" out of place")
            }
        }
        let tags = try Simulation.tags(lines)
        self.init(tags)
        put(last)
        put(lying)
        self.fault = fault
        guard onReader.count == lying.count else {
            throw ReaderError(.noReader, "a tag that lies on the reader is not in the file")
        }
    }

    private static func uids(_ text: String) throws(ReaderError) -> [[UInt8]] {
        if text == "none" { return [] }
        var uids: [[UInt8]] = []
        for word in text.split(separator: " ") {
            guard let uid = Hexadecimal.decode(word) else {
                throw ReaderError(.noReader, "\"\(word)\" is no number of a tag")
            }
            uids.append(uid)
        }
        return uids
    }

    private static func tags(_ lines: ArraySlice<String>) throws(ReaderError) -> [TagMemory] {
        var dumps: [[String]] = []
        for line in lines {
            if line.hasPrefix(tagHeading) { dumps.append([]) }
            guard !dumps.isEmpty else { continue }
            dumps[dumps.count - 1].append(line)
        }
        guard dumps.count <= mostTags else {
            throw ReaderError(.noReader, "the simulation has more than \(mostTags) tags")
        }
        var tags: [TagMemory] = []
        for dump in dumps {
            // The blank line that parts two dumps belongs to neither.
            let text = dump.joined(separator: "\n")
            do {
                let memory = try TagDump(
                    parsing: text.hasSuffix("\n\n") ? String(text.dropLast()) : text
                )
                .memory()
                guard !tags.contains(where: { $0.uid == memory.uid }) else {
                    throw Type2Error(.contradiction, "one number for two tags")
                }
                tags.append(memory)
            } catch {
                throw ReaderError(.noReader, "tag \(tags.count + 1) of the simulation: \(error)")
            }
        }
        return tags
    }
}
