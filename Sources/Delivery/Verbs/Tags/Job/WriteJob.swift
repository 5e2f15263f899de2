import CardCryptography
package import TapcardDomain
package import TextCodecs

/// A job that writes one tag for each row of a table: what has been done, and what comes next. It
/// can be stored and resumed at any time.
package struct WriteJob: Sendable, Hashable {
    /// What happened to a row and a tag.
    package enum Outcome: String, DocumentedWord {
        /// The tag may hold its old message, none, or the row's: the write was begun, and nothing
        /// is known about its end.
        case unknown
        case written
        /// The tag already held the row's message.
        case alreadyThere = "already-there"
        /// The row's message can be on no tag.
        case badRow = "bad-row"

        /// Whether the row needs no other tag.
        package var isFinal: Bool { self != .unknown }
    }

    package struct Entry: Sendable, Hashable {
        /// The row's number; the first row below the column names is 1.
        package let row: Int
        /// The tag; empty for a row that can be on none.
        package let uid: String
        package let at: Timestamp
        /// What the row puts on its tag, or why it cannot, for people.
        package let content: String
        package var outcome: Outcome
    }

    /// A hash of each row's cells and of the records, to notice that the table has changed.
    package let hashes: [String]
    package private(set) var entries: [Entry] = []

    package init(_ rows: [[String]], records: String) {
        hashes = rows.map { WriteJob.hash($0 + [records]) }
    }

    private static func hash(_ cells: [String]) -> String {
        // Each length comes first, so that no other cells give the same bytes.
        let bytes = cells.flatMap { Array("\($0.utf8.count):\($0)".utf8) }
        return Hexadecimal.encode(SHA256.digest(bytes).prefix(8))
    }

    /// The next row that needs a tag, from this one on.
    package func next(from first: Int) -> Int? {
        let done = Set(entries.filter { $0.outcome.isFinal }.map(\.row))
        return (1..<(hashes.count + 1)).first { $0 >= first && !done.contains($0) }
    }

    /// The row that this tag was written for; nil if it was written for none.
    package func row(of uid: String) -> Int? {
        entries.first { $0.uid == uid && $0.outcome.isFinal }?.row
    }

    /// Records that a tag is about to be written for a row. Another tag that was begun for the row
    /// keeps its entry, because it may hold the same message.
    package mutating func begin(_ row: Int, _ uid: String, _ content: String, at time: Timestamp) {
        guard !entries.contains(where: { $0.row == row && $0.uid == uid }) else { return }
        entries.append(Entry(row: row, uid: uid, at: time, content: content, outcome: .unknown))
    }

    package mutating func end(_ row: Int, _ uid: String, _ outcome: Outcome, at time: Timestamp) {
        guard let index = entries.firstIndex(where: { $0.row == row && $0.uid == uid }) else {
            return
        }
        let content = entries[index].content
        entries[index] = Entry(row: row, uid: uid, at: time, content: content, outcome: outcome)
    }

    package mutating func refuse(_ row: Int, _ reason: String, at time: Timestamp) {
        guard !entries.contains(where: { $0.row == row && $0.outcome == .badRow }) else { return }
        entries.append(
            Entry(row: row, uid: "", at: time, content: reason, outcome: .badRow))
    }

    /// The table of what was done.
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

/// The stored form, a JSON document.
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

    /// The rows whose cells or records differ from those of a stored job, or that it has and this
    /// one does not. More rows at the end are no difference.
    package func changedRows(since stored: JSONValue) -> [Int]? {
        guard let old = stored["rows"]?.array?.compactMap(\.string) else { return nil }
        return old.indices.filter { $0 >= hashes.count || hashes[$0] != old[$0] }.map { $0 + 1 }
    }

    /// Takes over what a stored job has done. Returns false if it is damaged.
    package mutating func resume(_ stored: JSONValue) -> Bool {
        guard let list = stored["entries"]?.array else { return false }
        var entries: [Entry] = []
        for entry in list {
            guard case .number(let row)? = entry["row"], let row = Int(row),
                let uid = entry["uid"]?.string, case .number(let time)? = entry["at"],
                let time = Int64(time), let content = entry["content"]?.string,
                let outcome = entry["outcome"]?.string.flatMap(Outcome.init)
            else { return false }
            entries.append(
                Entry(
                    row: row, uid: uid, at: Timestamp(milliseconds: time), content: content,
                    outcome: outcome))
        }
        self.entries = entries
        return true
    }
}
