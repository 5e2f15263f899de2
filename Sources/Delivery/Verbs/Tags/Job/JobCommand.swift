import OperatingSystem
import StationFiles
import Tags
import TapcardCore
import TapcardDomain
import TextCodecs

/// Writes a tag for each row of a table. A journal next to the table makes the job resumable after
/// anything that stops it.
struct JobCommand {
    private static let nothingWritten = "Nothing was written to a tag."
    /// A UID that stands for that of the tag while the rows are checked.
    private static let sampleUID = "00000000000000"
    /// How many rows an error names.
    private static let maximumNamedRows = 10

    private let session: Session
    private let options: WriteOptions
    private let path: String
    private let columns: [String]
    private let rows: [[String]]
    private let records: TypedRecords

    init(_ session: Session, _ options: WriteOptions, _ path: String) throws(TapcardError) {
        (self.session, self.options, self.path) = (session, options, path)
        let bytes = try NamedFile(path).content()
        let table = try translating(CSVText.rows(bytes)) { (error: CSVText.Malformed) in
            JobCommand.refusal(
                "\(path) is not a table in CSV: line \(error.line) cannot be read",
                "Save the table as CSV in UTF-8.")
        }
        // Spreadsheets leave empty cells at the end of a line.
        var names = (table.first ?? []).map { String($0.trimmingSpaces) }
        while names.last?.isEmpty == true { names.removeLast() }
        columns = names
        rows = Array(table.dropFirst())
        guard !rows.isEmpty else {
            throw JobCommand.refusal(
                "\(path) has no rows below its first line",
                "The first line names the columns, and each line below is a tag.")
        }
        guard Set(columns + ["uid", "row"]).count == columns.count + 2 else {
            throw JobCommand.refusal(
                "\(path) has two columns with the same name, or one that is named uid or row",
                "Rename the column; {uid} and {row} stand for the tag and the row.")
        }
        records = try TypedRecords(session, columns: columns)
        try records.requireValues(for: ["uid", "row"] + columns + options.values.keys)
    }

    func run() async throws(TapcardError) -> Report {
        var job = WriteJob(rows, records: records.description)
        if session[.dryRun] { return checked() }
        let lock = try translating(FileLock.acquire(journal.path + ".lock", waiting: false)) {
            (error: FileError) in unusable(error)
        }
        guard lock != nil else {
            throw JobCommand.refusal(
                "Another tapcard is working on \(path)", "Wait for it, or end it.")
        }
        defer { withExtendedLifetime(lock) {} }
        try resume(&job)
        refuseBadRows(&job)
        try save(job)
        let station = try await session.readOnlyStation()
        var announced: Int?
        while let row = job.next(from: start), !Task.isCancelled {
            if announced != row {
                session.say(
                    "tapcard: Next: row \(row), \(title(of: row)). Hold a tag to the reader.\n")
                announced = row
            }
            do throws(TapcardError) {
                let tag = try await write(row, &job, station)
                // Otherwise, the same tag would be met again at once.
                if job.next(from: start) != nil {
                    try await station.messages.waitUntilGone(tag)
                    announced = nil
                }
            } catch {
                guard error.result == .noCard || error.kind == .cancelled else { throw error }
            }
        }
        return report(on: job)
    }

    private var start: Int { session[.startRow] ?? 1 }
    private var journal: DurableFile { DurableFile(path + ".journal") }
    private var result: DurableFile {
        DurableFile((path.hasSuffix(".csv") ? String(path.dropLast(4)) : path) + ".result.csv")
    }

    /// Whether another tag may do what this one did not.
    private func mayGoOn(after error: TapcardError) -> Bool {
        switch error.result {
        case .noCard, .refused, .unknown, .untrusted, .failed: error.kind != .fileUnusable
        case .usage, .noReader, .service, .ledger: false
        }
    }

    // MARK: - One tag

    /// Writes a row to the next tag. Returns the tag if there was one, whether it was written or
    /// not.
    private func write(
        _ row: Int, _ job: inout WriteJob, _ station: Station
    ) async throws(TapcardError) -> [UInt8]? {
        let now = session.dependencies.now
        let before = job
        var seen: [UInt8]?
        do throws(TapcardError) {
            let written = try await station.messages.write(options) {
                reading throws(TapcardError) in
                seen = reading.uid
                let uid = Hexadecimal.encode(reading.uid)
                if let earlier = job.row(of: uid) {
                    throw TapcardError(
                        .sameCard, "The tag \(uid) was already written for row \(earlier).",
                        meaning: "Nothing was written to the tag.",
                        advice: "Hold another tag to the reader.")
                }
                // Recorded before the first WRITE, so that the tag is known again after a crash.
                job.begin(row, uid, content(of: row, uid), at: now())
                try save(job)
                return records.message(values(of: row, uid))
            }
            let uid = Hexadecimal.encode(written.uid)
            let wasBegun = before.entries.contains { $0.row == row && $0.uid == uid }
            job.end(
                row, uid, written.wasThere && !wasBegun ? .alreadyThere : .written, at: now())
            try save(job)
            session.say("tapcard: Written: row \(row) to \(written.kind) \(uid). Take it away.\n")
        } catch {
            guard mayGoOn(after: error) else { throw error }
            // A tag that refused was not touched.
            if error.kind != .outcomeUnknown {
                job = before
                try save(job)
            }
            guard error.kind != .cancelled, error.result != .noCard else { throw error }
            session.show(error)
        }
        return seen
    }

    // MARK: - Rows

    private func values(of row: Int, _ uid: String) -> [String: String] {
        var values = options.values
        (values["uid"], values["row"]) = (uid, String(row))
        for (name, cell) in zip(columns, rows[row - 1]) { values[name] = cell }
        return values
    }

    /// The row for people: its first cells.
    private func title(of row: Int) -> String {
        rows[row - 1].filter { !$0.isEmpty }.prefix(3).joined(separator: " ").shown
    }

    /// What the row puts on its tag, for people.
    private func content(of row: Int, _ uid: String) -> String {
        records.summary(values(of: row, uid))
    }

    /// Why a row can be on no tag; nil if it can.
    private func fault(of row: Int) -> String? {
        if rows[row - 1].dropFirst(columns.count).contains(where: { !$0.isEmpty }) {
            return "more cells than columns"
        }
        if let missing = records.missingValue(in: values(of: row, JobCommand.sampleUID)) {
            return "the column \(missing) is empty"
        }
        if !records.hasLanguages(in: values(of: row, JobCommand.sampleUID)) {
            return "a language is not a code such as en"
        }
        return (try? size(of: row)) == nil ? "the message is too long" : nil
    }

    private func size(of row: Int) throws -> Int {
        try records.message(values(of: row, JobCommand.sampleUID)).encoded().count
    }

    private func refuseBadRows(_ job: inout WriteJob) {
        for row in 1...rows.count {
            guard let fault = fault(of: row) else { continue }
            session.say("tapcard: Row \(row) is left out: \(fault).\n")
            job.refuse(row, fault, at: session.dependencies.now())
        }
    }

    /// The rows without a tag: what each would put on its tag, and how long it is.
    private func checked() -> Report {
        var bad = 0
        let lines = (1...rows.count).map { row in
            if let fault = fault(of: row) {
                bad += 1
                return "Row \(row): left out: \(fault)"
            }
            let count = (try? size(of: row)) ?? 0
            return "Row \(row): \(count) bytes, \(content(of: row, JobCommand.sampleUID).shown)"
        }
        return Report(
            ["rows": .number(String(rows.count)), "bad": .number(String(bad))], lines,
            isPlain: true)
    }

    // MARK: - Journal and result

    private func resume(_ job: inout WriteJob) throws(TapcardError) {
        let bytes = try translating(journal.read()) { (error: FileError) in unusable(error) }
        guard let bytes else {
            // A result without its journal belongs to a job that nobody can go on with.
            guard (try? result.permissions()) == nil else {
                throw JobCommand.refusal(
                    "\(result.path) exists, but the job's journal \(journal.path) is missing",
                    "Move the result away to begin the job again.")
            }
            return
        }
        let damaged = TapcardError(
            .fileUnusable, "The journal \(journal.path) cannot be read.",
            meaning: JobCommand.nothingWritten,
            advice: "Keep the result, and move the journal away to begin again.")
        guard let stored = try? JSONValue.parsing(bytes),
            let changed = job.changedRows(since: stored), job.resume(stored)
        else { throw damaged }
        guard changed.isEmpty else {
            let more = changed.count > JobCommand.maximumNamedRows ? ", and more" : ""
            let names = changed.prefix(JobCommand.maximumNamedRows).map(String.init)
                .joined(separator: ", ")
            throw JobCommand.refusal(
                "\(path), or the records, changed since the job was begun, in row \(names)\(more)",
                "Undo the change, or copy the table to a new name to begin a new job. Rows may "
                    + "be added at the end.")
        }
    }

    private func save(_ job: WriteJob) throws(TapcardError) {
        try translating(journal.write(Array(job.document.text.utf8), mode: 0o600)) {
            (error: FileError) in unusable(error)
        }
        try translating(result.write(Array(job.result.utf8), durable: false)) {
            (error: FileError) in unusable(error)
        }
    }

    private func unusable(_ error: FileError) -> TapcardError {
        TapcardError(
            .fileUnusable, "The job's journal cannot be used: \(error.detail).",
            meaning: "No tag was begun since the last line.",
            advice: "Make room, and start the job again: it goes on where it was.")
    }

    private func report(on job: WriteJob) -> Report {
        func count(_ outcome: WriteJob.Outcome) -> Int {
            job.entries.count { $0.outcome == outcome }
        }
        let done = Set(job.entries.filter { $0.outcome.isFinal }.map(\.row))
        let left = rows.count - done.count
        let written = count(.written) + count(.alreadyThere)
        let bad = count(.badRow)
        return Report(
            [
                "rows": .number(String(rows.count)), "written": .number(String(written)),
                "bad": .number(String(bad)), "left": .number(String(left)),
                "file": .string(result.path),
            ],
            [
                "Written: \(written) of \(rows.count) rows, \(bad) left out, \(left) to do",
                "Result: \(result.path)",
            ], isPlain: true, isChange: true)
    }

    private static func refusal(_ what: String, _ advice: String) -> TapcardError {
        TapcardError(.usage, "\(what).", meaning: nothingWritten, advice: advice)
    }
}

extension String {
    /// The text without spaces at its ends.
    fileprivate var trimmingSpaces: Substring {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
