import CardCryptography
import Cards
import OperatingSystem
import StationFiles
import Tags
import TapcardCore
import TapcardDomain
import TextCodecs

/// Runs `tag write --file`: writes one tag for each row of a table. Progress is kept in a journal
/// next to the table, so an interrupted job can be resumed.
struct JobCommand {
    private static let nothingWritten = "Nothing was written to a tag."
    /// A placeholder UID for checking rows before there is a tag.
    private static let sampleUID = "00000000000000"
    /// The maximum number of rows that an error message lists.
    private static let maximumListedRows = 10
    /// Keeps the journal small, because the whole file is rewritten for every tag.
    private static let maximumRows = 10_000

    private let session: Session
    private let options: WriteOptions
    private let path: String
    private let columns: [String]
    private let rows: [[String]]
    private let records: TypedRecords

    init(_ session: Session, _ options: WriteOptions, _ path: String) throws(TapcardError) {
        (self.session, self.options) = (session, options)
        guard !NamedFile(path).isStream else {
            throw JobCommand.refusal(
                "A job cannot be read from standard input, because its journal is stored next to "
                    + "the table", "Save the table to a file, and pass the file's name.")
        }
        // Resolves links, so that every path to the same table leads to the same journal.
        self.path = (try? DurableFile(path).resolved().path) ?? path
        let bytes = try NamedFile(path).content()
        let table = try translating(CSVText.rows(bytes)) { (error: CSVText.Malformed) in
            JobCommand.refusal(
                "\(path) is not a valid CSV file (line \(error.line))",
                "Save the table as CSV in UTF-8.")
        }
        // Spreadsheets often export empty cells at the end of the header.
        var names = (table.first ?? []).map { String($0.trimmingSpaces) }
        while names.last?.isEmpty == true { names.removeLast() }
        columns = names
        rows = Array(table.dropFirst())
        guard !rows.isEmpty else {
            throw JobCommand.refusal(
                "\(path) has no rows below the header",
                "Put the column names in the first line, and add one row for each tag.")
        }
        guard rows.count <= JobCommand.maximumRows else {
            throw JobCommand.refusal(
                "\(path) has more than \(JobCommand.maximumRows) rows",
                "Split it into smaller files.")
        }
        // Placeholders that tapcard fills in itself.
        let reserved = ["uid", "row"] + options.values.keys
        guard Set(columns + reserved).count == columns.count + reserved.count else {
            let names = reserved.joined(separator: " or ")
            throw JobCommand.refusal(
                "\(path) has two columns with the same name, or a column named \(names)",
                "Rename the column. tapcard itself fills in the tag's UID, the row's number, and "
                    + "the counter of a mirror.")
        }
        records = try TypedRecords(session, columns: columns)
        try records.requireValues(for: reserved + columns)
        guard firstRow <= rows.count else {
            throw JobCommand.refusal(
                "--start-row is \(firstRow), but the last row of \(path) is \(rows.count)",
                "Pass the number of a row that exists.")
        }
    }

    func run() async throws(TapcardError) -> Report {
        if session[.dryRun] { return dryRunReport() }
        let lock = try translating(FileLock.acquire(journal.path + ".lock", waiting: false)) {
            (error: FileError) in unusable(error)
        }
        guard lock != nil else {
            throw JobCommand.refusal(
                "Another tapcard process is already working on \(path)",
                "Wait until it finishes, or stop it.")
        }
        defer { withExtendedLifetime(lock) {} }
        var job = try storedJob()
        skipBadRows(&job)
        try save(job)
        let station = try await session.tagStation()
        var announcedRow: Int?
        while let row = job.next(from: firstRow), !Task.isCancelled {
            if announcedRow != row {
                session.say(
                    "tapcard: Next: row \(row), \(title(of: row)). Hold a tag to the reader.\n")
                announcedRow = row
            }
            do throws(TapcardError) {
                let tag = try await write(row, &job, station)
                // Otherwise, the next row would be tried on the tag that is still on the reader.
                if job.next(from: firstRow) != nil {
                    try await station.messages.waitUntilGone(tag)
                    announcedRow = nil
                }
            } catch {
                guard error.result == .noCard || error.kind == .cancelled else { throw error }
            }
        }
        return report(on: job)
    }

    private var firstRow: Int { session[.startRow] ?? 1 }
    private var journal: DurableFile { DurableFile(path + ".journal") }
    private var result: DurableFile {
        DurableFile((path.hasSuffix(".csv") ? String(path.dropLast(4)) : path) + ".result.csv")
    }

    /// Returns true if the job can continue with another tag after this error.
    private func canContinue(after error: TapcardError) -> Bool {
        switch error.result {
        case .noCard, .refused, .unknown, .untrusted, .failed: error.kind != .fileUnusable
        case .usage, .noReader, .service, .ledger: false
        }
    }

    // MARK: - One tag

    /// Waits for a tag and writes the row to it. Returns the tag's UID, even if the tag was
    /// refused, or nil if no tag could be read.
    private func write(
        _ row: Int, _ job: inout WriteJob, _ station: Station
    ) async throws(TapcardError) -> [UInt8]? {
        let now = session.dependencies.now
        let before = job
        var options = options
        options.interruptedTags = Set(
            job.entries.filter { $0.row == row }.compactMap { Hexadecimal.decode($0.uid) })
        var tag: [UInt8]?
        do throws(TapcardError) {
            let written = try await station.messages.write(options) {
                bytes throws(TapcardError) in
                // Saved before the first WRITE, so that the tag is recognized after a crash.
                let uid = Hexadecimal.encode(bytes)
                job.begin(row, uid, content(of: row, uid), at: now())
                try save(job)
            } _: { reading throws(TapcardError) in
                tag = reading.uid
                let uid = Hexadecimal.encode(reading.uid)
                if let earlier = job.row(of: uid) {
                    throw TapcardError(
                        .sameCard, "Tag \(uid) was already written for row \(earlier).",
                        meaning: "Nothing was written to the tag.",
                        advice: "Hold a different tag to the reader.")
                }
                return records.message(values(of: row, uid))
            }
            let uid = Hexadecimal.encode(written.uid)
            let wasBegun = before.entries.contains { $0.row == row && $0.uid == uid }
            job.end(
                row, uid, content(of: row, uid),
                written.wasThere && !wasBegun ? .alreadyThere : .written, at: now())
            try save(job)
            session.say("tapcard: Written: row \(row) to \(written.kind) \(uid). Remove the tag.\n")
        } catch {
            guard canContinue(after: error) else { throw error }
            // Any other error means that this attempt did not change the tag.
            if error.kind != .outcomeUnknown, job != before {
                job = before
                try save(job)
            }
            guard error.kind != .cancelled, error.result != .noCard else { throw error }
            session.show(
                error.kind == .outcomeUnknown
                    ? TapcardError(
                        error.kind, error.what, meaning: error.meaning,
                        advice: "Hold the tag to the reader again, or use a different one.")
                    : error)
        }
        return tag
    }

    // MARK: - Rows

    private func values(of row: Int, _ uid: String) -> [String: String] {
        var values = options.values
        (values["uid"], values["row"]) = (uid, String(row))
        for (name, cell) in zip(columns, rows[row - 1]) { values[name] = cell }
        return values
    }

    /// A short description of the row for messages: its first three nonempty cells.
    private func title(of row: Int) -> String {
        rows[row - 1].filter { !$0.isEmpty }.prefix(3).joined(separator: " ").shown
    }

    /// A readable summary of the records that the row puts on a tag.
    private func content(of row: Int, _ uid: String) -> String {
        records.summary(values(of: row, uid))
    }

    /// The reason why the row cannot be written to any tag. Returns nil if the row is valid.
    private func fault(of row: Int) -> String? {
        if rows[row - 1].dropFirst(columns.count).contains(where: { !$0.isEmpty }) {
            return "more cells than columns"
        }
        if let missing = records.missingValue(in: values(of: row, JobCommand.sampleUID)) {
            return "the \(missing) column is empty"
        }
        if let fault = records.linkFault(in: values(of: row, JobCommand.sampleUID)) {
            return "the url column \(fault)"
        }
        if !records.hasLanguages(in: values(of: row, JobCommand.sampleUID)) {
            return "the language must be a code such as en"
        }
        let message = records.message(values(of: row, JobCommand.sampleUID))
        guard let bytes = try? message.encoded() else { return "the message is too long" }
        // A record that tapcard cannot decode would not work on a phone either.
        let decoded = (try? NDEFMessage(decoding: bytes))?.records.map(RecordContent.init) ?? []
        for case .invalid(_, _, let reason) in decoded { return reason }
        return nil
    }

    private func size(of row: Int) throws -> Int {
        try records.message(values(of: row, JobCommand.sampleUID)).encoded().count
    }

    private func skipBadRows(_ job: inout WriteJob) {
        for row in 1...rows.count {
            guard let fault = fault(of: row) else { continue }
            session.say("tapcard: Skipping row \(row): \(fault).\n")
            job.refuse(row, fault, at: session.dependencies.now())
        }
    }

    /// The known Type 2 chips, with the length of the longest message that fits on each.
    private static let chips = Type2Chip.known.map { chip in
        let room = chip.userPages.count * Page.size
        return (name: chip.name, room: MessagePlan.maximumByteCount(in: room))
    }

    /// Checks all rows without a reader. Lists each row's content, its length, and the chips that
    /// it fits.
    private func dryRunReport() -> Report {
        var bad = 0
        let lines = (1...rows.count).map { row in
            if let fault = fault(of: row) {
                bad += 1
                return "Row \(row): skipped (\(fault))"
            }
            let count = (try? size(of: row)) ?? 0
            let chips = JobCommand.chips.filter { $0.room >= count }.map(\.name)
            let fit =
                chips.isEmpty
                ? "does not fit any NTAG21x" : "fits " + chips.joined(separator: ", ")
            let content = content(of: row, JobCommand.sampleUID).shown
            return "Row \(row): \(count) bytes (\(fit)): \(content)"
        }
        return Report(
            ["rows": .number(String(rows.count)), "bad": .number(String(bad))], lines,
            isPlain: true)
    }

    // MARK: - Journal and result

    /// Returns the job as its journal describes it, or a new job if there is no journal.
    private func storedJob() throws(TapcardError) -> WriteJob {
        let bytes = try translating(journal.read()) { (error: FileError) in unusable(error) }
        let stored = bytes.map { (try? JSONValue.parsing($0)) ?? [:] }
        let salt =
            stored.flatMap(WriteJob.salt) ?? session.dependencies.random(PasswordHash.saltSize)
        let mirror = options.mirror?.rawValue ?? "none"
        // A slow hash, because the records may contain a Wi-Fi password.
        let hash = PasswordHash(
            "\(options.locks) \(options.protects) \(mirror) \(records.description)", salt: salt)
        var job = WriteJob(columns: columns, rows, salt: salt, optionsHash: hash.bytes)
        guard let stored else {
            // A result without a journal is left from a job that cannot be resumed. Starting over
            // would overwrite it.
            guard (try? result.permissions()) == nil else {
                throw JobCommand.refusal(
                    "\(result.path) exists, but the job's journal, \(journal.path), is missing",
                    "To start the job over, move the result file away first.")
            }
            return job
        }
        try translating(job.resume(stored), into: refusal)
        return job
    }

    private func refusal(_ obstacle: WriteJob.Obstacle) -> TapcardError {
        let what: String
        switch obstacle {
        case .damaged:
            return TapcardError(
                .fileUnusable, "The job's journal, \(journal.path), is damaged.",
                meaning: JobCommand.nothingWritten,
                advice: "To start the job over, move the journal and the result file away first.")
        case .changedHeader: what = "The header of \(path) has changed since the job started"
        case .changedOptions:
            what =
                "The records, --lock, --protect, or --mirror differ from those that the job "
                + "started with"
        case .changedRows(let rows):
            let more = rows.count > JobCommand.maximumListedRows ? ", and more" : ""
            let numbers = rows.prefix(JobCommand.maximumListedRows).map(String.init)
                .joined(separator: ", ")
            what =
                "\(path) has changed since the job started; affected rows: \(numbers)\(more)"
        }
        return JobCommand.refusal(
            what,
            "Undo the change, or copy the table to a new file to start a new job. You can still "
                + "change rows for which no write was started.")
    }

    private func save(_ job: WriteJob) throws(TapcardError) {
        try translating(journal.write(Array(job.document.text.utf8), mode: 0o600)) {
            (error: FileError) in unusable(error)
        }
        // The result repeats cells of the table, so it gets the table's permissions.
        let mode = ((try? DurableFile(path).permissions()) ?? 0o600) & 0o666
        try translating(result.write(Array(job.result.utf8), mode: mode, durable: false)) {
            (error: FileError) in unusable(error)
        }
    }

    private func unusable(_ error: FileError) -> TapcardError {
        TapcardError(
            .fileUnusable, "The job's progress cannot be saved or read: \(error.detail).",
            meaning: "If a tag was just written, it will be recognized when the job continues.",
            advice: "Check the disk space and the file's permissions, then run the same command "
                + "again to continue.")
    }

    private func report(on job: WriteJob) -> Report {
        func count(_ outcome: WriteJob.Outcome) -> Int {
            job.entries.count { $0.outcome == outcome }
        }
        let done = Set(job.entries.filter { $0.outcome.isFinal }.map(\.row))
        let left = rows.count - done.count
        let written = count(.written) + count(.alreadyThere)
        let bad = count(.badRow)
        let problem =
            job.next(from: firstRow) == nil
            ? nil
            : TapcardError(
                .cancelled, "Canceled.", meaning: "The job is not finished.",
                advice: "To continue, run the same command again.")
        return Report(
            [
                "rows": .number(String(rows.count)), "written": .number(String(written)),
                "bad": .number(String(bad)), "left": .number(String(left)),
                "file": .string(result.path),
            ],
            [
                "Written: \(written) of \(rows.count) rows, \(bad) skipped, \(left) remaining",
                "Result: \(result.path)",
            ], problem: problem, isPlain: true, isChange: true)
    }

    private static func refusal(_ what: String, _ advice: String) -> TapcardError {
        TapcardError(.usage, "\(what).", meaning: nothingWritten, advice: advice)
    }
}

extension String {
    /// The text without leading and trailing whitespace.
    var trimmingSpaces: Substring {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
