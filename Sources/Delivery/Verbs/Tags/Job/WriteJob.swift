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

    /// Why a stored job cannot be resumed. `rows` are the numbers of the changed rows.
    package enum Obstacle: Error, Hashable {
        case damaged, changedHeader, changedOptions
        case changedRows([Int])
    }

    private let salt: [UInt8]
    /// Hashes of the column names, of the options, and of the cells of each row. They show what has
    /// changed when a job is resumed.
    private let columns, options: String
    private let rows: [String]
    package private(set) var entries: [Entry] = []

    /// `optionsHash` is a salted hash of everything besides the table that decides what is written.
    package init(columns: [String], _ rows: [[String]], salt: [UInt8], optionsHash: [UInt8]) {
        self.salt = salt
        // The header can decide which records are written. Its hash uses only the salt, so that a
        // changed header is not mistaken for changed options.
        self.columns = WriteJob.hash(columns, salt)
        options = WriteJob.hash([], optionsHash)
        self.rows = rows.map { WriteJob.hash($0, optionsHash) }
    }

    private static func hash(_ cells: [String], _ key: [UInt8]) -> String {
        // Length prefixes keep ["ab", "c"] and ["a", "bc"] from hashing the same bytes.
        let bytes = cells.flatMap { Array("\($0.utf8.count):\($0)".utf8) }
        return Hexadecimal.encode(HMACSHA256.code(for: bytes, key: key).prefix(8))
    }

    /// Returns the first row at or after `first` that still needs a tag; nil if all are done.
    package func next(from first: Int) -> Int? {
        let done = Set(entries.filter { $0.outcome.isFinal }.map(\.row))
        return (1..<(rows.count + 1)).first { $0 >= first && !done.contains($0) }
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

    /// Records that the tag now holds the row's message.
    package mutating func end(
        _ row: Int, _ uid: String, _ content: String, _ outcome: Outcome, at time: Timestamp
    ) {
        // Removes the entries of interrupted writes to this tag, whose content is now known.
        entries.removeAll { $0.uid == uid }
        entries.append(Entry(row: row, uid: uid, at: time, content: content, outcome: outcome))
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
            "salt": .string(Hexadecimal.encode(salt)), "columns": .string(columns),
            "options": .string(options), "rows": .array(rows.map { .string($0) }),
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

    /// Returns the salt of a stored job; nil if it is damaged.
    package static func salt(of stored: JSONValue) -> [UInt8]? {
        stored["salt"]?.string.flatMap { Hexadecimal.decode($0) }
    }

    /// Restores the entries of a stored job. Throws if the message of a row that a write has begun
    /// for could be a different one now.
    package mutating func resume(_ stored: JSONValue) throws(Obstacle) {
        guard let columns = stored["columns"]?.string, let options = stored["options"]?.string,
            let rows = stored["rows"]?.array?.map(\.string),
            let entries = WriteJob.entries(in: stored),
            entries.allSatisfy({ rows.indices.contains($0.row - 1) })
        else { throw .damaged }
        // Skipped rows are checked again, because the user may have corrected them.
        self.entries = entries.filter { $0.outcome != .badRow }
        guard !self.entries.isEmpty else { return }
        guard columns == self.columns else { throw .changedHeader }
        guard options == self.options else { throw .changedOptions }
        let changed = Set(self.entries.map(\.row)).filter { row in
            !self.rows.indices.contains(row - 1) || self.rows[row - 1] != rows[row - 1]
        }
        guard changed.isEmpty else { throw .changedRows(changed.sorted()) }
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
