import CardCryptography
package import TapcardDomain
package import TextCodecs

/// The progress of a job that writes one tag for each row of a table. It is saved after every step,
/// so the job can be resumed.
package struct WriteJob: Sendable, Hashable {
    /// The result of writing a row to a tag.
    package enum Outcome: String, DocumentedWord {
        /// The write started, but may not have finished. The tag holds its old message, no message,
        /// or the row's.
        case unknown
        case written
        /// The tag already held the row's message, so nothing was written.
        case alreadyThere = "already-there"
        /// The row is not valid and was skipped.
        case badRow = "bad-row"

        /// Whether the row is done, so that it does not need another tag.
        package var isFinal: Bool { self != .unknown }
    }

    package struct Entry: Sendable, Hashable {
        /// The row's number. Row 1 is the first row below the header.
        package let row: Int
        /// The tag's UID in hexadecimal; empty for a skipped row.
        package let uid: String
        package let at: Timestamp
        /// A readable summary of what the row puts on the tag, or the reason why it was skipped.
        package let content: String
        package var outcome: Outcome
    }

    /// One hash for each row, over its cells and the record options. Shows which rows have changed
    /// when a job is resumed.
    package let hashes: [String]
    package private(set) var entries: [Entry] = []

    package init(_ rows: [[String]], records: String) {
        hashes = rows.map { WriteJob.hash($0 + [records]) }
    }

    private static func hash(_ cells: [String]) -> String {
        // Length prefixes keep ["ab", "c"] and ["a", "bc"] from hashing the same bytes.
        let bytes = cells.flatMap { Array("\($0.utf8.count):\($0)".utf8) }
        return Hexadecimal.encode(SHA256.digest(bytes).prefix(8))
    }

    /// Returns the first row at or after `first` that still needs a tag; nil if all are done.
    package func next(from first: Int) -> Int? {
        let done = Set(entries.filter { $0.outcome.isFinal }.map(\.row))
        return (1..<(hashes.count + 1)).first { $0 >= first && !done.contains($0) }
    }

    /// Returns the row that was written to this tag, or nil if none was.
    package func row(of uid: String) -> Int? {
        entries.first { $0.uid == uid && $0.outcome.isFinal }?.row
    }

    /// Records that a row is about to be written to a tag. If an earlier attempt used a different
    /// tag, its entry is kept, because that tag may hold the row's message too.
    package mutating func begin(_ row: Int, _ uid: String, _ content: String, at time: Timestamp) {
        guard !entries.contains(where: { $0.row == row && $0.uid == uid }) else { return }
        entries.append(Entry(row: row, uid: uid, at: time, content: content, outcome: .unknown))
    }

    /// Records the outcome of a write. Does nothing unless the write was recorded with `begin`.
    package mutating func end(_ row: Int, _ uid: String, _ outcome: Outcome, at time: Timestamp) {
        guard let index = entries.firstIndex(where: { $0.row == row && $0.uid == uid }) else {
            return
        }
        let content = entries[index].content
        entries[index] = Entry(row: row, uid: uid, at: time, content: content, outcome: outcome)
    }

    /// Records that a row is skipped because it is not valid.
    package mutating func refuse(_ row: Int, _ reason: String, at time: Timestamp) {
        guard !entries.contains(where: { $0.row == row && $0.outcome == .badRow }) else { return }
        entries.append(
            Entry(row: row, uid: "", at: time, content: reason, outcome: .badRow))
    }

    /// The contents of the result file: CSV with one line for each entry.
    package var result: String {
        entries.reduce(CSVText.line(["uid", "row", "time", "content", "outcome"])) { text, entry in
            text
                + CSVText.line([
                    entry.uid, String(entry.row), LocalTime.iso(entry.at), entry.content,
                    entry.outcome.rawValue,
                ])
        }
    }
}

// The journal, a JSON document.
extension WriteJob {
    package var document: JSONValue {
        [
            "rows": .array(hashes.map { .string($0) }),
            "entries": .array(
                entries.map { entry in
                    [
                        "row": .number(String(entry.row)), "uid": .string(entry.uid),
                        "at": .number(String(entry.at.milliseconds)),
                        "content": .string(entry.content),
                        "outcome": .string(entry.outcome.rawValue),
                    ]
                }),
        ]
    }

    /// Lists the rows that were changed or removed since the job was stored. Ignores skipped rows,
    /// which the user may correct, and rows added at the end. Returns nil if the stored job is
    /// damaged.
    package func changedRows(since stored: JSONValue) -> [Int]? {
        guard let old = stored["rows"]?.array?.compactMap(\.string),
            let entries = WriteJob.entries(in: stored)
        else { return nil }
        let leftOut = Set(entries.filter { $0.outcome == .badRow }.map(\.row))
        return old.indices.filter { index in
            !leftOut.contains(index + 1)
                && (!hashes.indices.contains(index) || hashes[index] != old[index])
        }.map { $0 + 1 }
    }

    /// Restores the entries of a stored job. Returns false if the stored job is damaged.
    package mutating func resume(_ stored: JSONValue) -> Bool {
        guard let entries = WriteJob.entries(in: stored) else { return false }
        // Skipped rows are checked again, because the user may have corrected them.
        self.entries = entries.filter { $0.outcome != .badRow }
        return true
    }

    private static func entries(in stored: JSONValue) -> [Entry]? {
        guard let list = stored["entries"]?.array else { return nil }
        var entries: [Entry] = []
        for entry in list {
            guard case .number(let row)? = entry["row"], let row = Int(row),
                let uid = entry["uid"]?.string, case .number(let time)? = entry["at"],
                let time = Int64(time), let content = entry["content"]?.string,
                let outcome = entry["outcome"]?.string.flatMap(Outcome.init)
            else { return nil }
            entries.append(
                Entry(
                    row: row, uid: uid, at: Timestamp(milliseconds: time), content: content,
                    outcome: outcome))
        }
        return entries
    }
}
