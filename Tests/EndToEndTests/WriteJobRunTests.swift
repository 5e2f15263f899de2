import Glibc
import OperatingSystem
import TestSupport
import Testing
import TextCodecs

/// Runs `tag write --file` with the faults of a real reader: wrong tags, torn writes, and crashes.
@Suite("Write jobs", .ownThread)
struct WriteJobRunTests {
    private let till: Till
    private let job: String

    init() throws {
        till = try Till()
        job = till.file("job.csv")
        try till.step("sim take")
    }

    private func start(_ more: [String] = []) throws -> ChildProcess {
        try till.start(
            [
                "--timeout", "600", "tag", "write", "--file", job, "--url",
                "https://example.com/{id}", "--text", "{name} {row}",
            ] + more)
    }

    private func content(_ path: String) throws -> String {
        String(decoding: try #require(try DurableFile(path).read()), as: UTF8.self)
    }

    /// The cells of the result file, without its header.
    private func result() throws -> [[String]] {
        try content(till.file("job.result.csv")).split(whereSeparator: \.isNewline).dropFirst()
            .map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
    }

    private func write(rows count: Int) throws {
        let lines = (1...count).map { "\($0),\"Filament \($0)\"\n" }.joined()
        try DurableFile(job).write(Array(("id,name\n" + lines).utf8))
    }

    @Test("Every row gets its own tag despite torn writes, wrong tags, and crashes")
    func faults() throws {
        let (rows, faults) = Thoroughness.asked > .check ? (200, 40) : (20, 8)
        try write(rows: rows)
        let wrong = [
            try prepare("tag write --text Other"), try prepare("tag write --text Locked --lock"),
        ]
        var random = SeededGenerator(seed: 17)
        var process = try start()
        var (row, faultsLeft, last) = (1, faults, "")
        while row <= rows {
            try process.wait("row \(row)") { try process.errors.contains("Next: row \(row),") }
            // The probability increases, so that all faults have occurred by the last row.
            let isFault =
                faultsLeft > 0 && Int.random(in: 0...(rows - row), using: &random) < faultsLeft
            if isFault { faultsLeft -= 1 }
            var uid = ""
            switch isFault ? Int.random(in: 0..<4, using: &random) : 4 {
            case 0:
                // A tag that the job must refuse: the last one written, or one with other content.
                let tag =
                    last.isEmpty
                    ? wrong[0]
                    : [last, wrong[0], wrong[1]]
                        .randomElement(using: &random) ?? ""
                try refused(tag, process)
                continue
            case 1:
                let fault =
                    ["lost", "torn old", "torn mix 3", "torn new"]
                    .randomElement(using: &random) ?? ""
                try till.step("sim tear \(Int.random(in: 1...6, using: &random)) \(fault)")
                uid = try ended(process) { try put("NTAG213") }
                try till.step("sim tear none")
            // Not for the last row: if the job finishes before it is killed, no row is next.
            case 2 where row < rows:
                uid = try put("NTAG213")
                // The signal may arrive before, during, or after the write.
                usleep(UInt32.random(in: 0..<30_000, using: &random))
                process.signal(SIGKILL)
                _ = try process.end()
                try till.step("sim take")
                process = try start()
                try process.wait("the next row") { try process.errors.contains("Next: row") }
                if try process.errors.contains("Next: row \(row + 1),") {
                    (row, last) = (row + 1, uid)
                    continue
                }
            default:
                let chips = ["NTAG213", "NTAG215", "NTAG216", "NTAG424"]
                uid = try put(chips.randomElement(using: &random) ?? "")
                try written(row, process)
            }
            let isWritten = try process.errors.contains("Written: row \(row) to")
            // A torn tag is either thrown away or held to the reader again.
            if !isWritten, Bool.random(using: &random) {
                try till.step("sim take")
                continue
            }
            if !isWritten {
                try till.step("sim put \(uid)")
                try written(row, process)
            }
            (row, last) = (row + 1, uid)
            try till.step("sim take")
        }
        let ended = try process.end()
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.output.contains("Written: \(rows) of \(rows) rows, 0 skipped, 0 remaining"))
        try checkTags(rows)
    }

    /// Creates a tag with other content before the job starts, and returns its UID.
    private func prepare(_ line: String) throws -> String {
        let uid = try put("NTAG213")
        try till.step(line)
        try till.step("sim take")
        return uid
    }

    /// Puts a tag on the reader, waits until the job refuses it, and removes it.
    private func refused(_ uid: String, _ process: ChildProcess) throws {
        func count() throws -> Int {
            try ["already written", "is locked", "other content"]
                .reduce(0) { try $0 + process.errors.ranges(of: $1).count }
        }
        let before = try count()
        try till.step("sim put \(uid)")
        try process.wait("a refusal") { try count() > before }
        let asked = try process.errors.ranges(of: "Next: row").count
        try till.step("sim take")
        // Otherwise the next tag could replace this one before the job notices the removal.
        try process.wait("the removal") {
            try process.errors.ranges(of: "Next: row").count > asked
        }
    }

    /// Makes a change, and waits until the job has finished its attempt on that tag.
    private func ended(_ process: ChildProcess, _ change: () throws -> String) throws -> String {
        let before = try process.errors.ranges(of: "Next: row").count
        let uid = try change()
        try process.wait("the end of the attempt") {
            let errors = try process.errors
            return errors.ranges(of: "Next: row").count > before
                || errors.ranges(of: "Written: row").count >= before
        }
        return uid
    }

    @Test("Several tags are reported once, and a locked tag is recognized after a crash")
    func several() throws {
        try write(rows: 1)
        let first = try till.step("sim put NTAG213 NTAG215")
        #expect(first.contains("NTAG215"))
        let process = try start(["--lock"])
        try process.wait("the error about several tags") {
            try process.errors.contains("everal tags")
                || process.errors.contains("ore than one tag")
        }
        try till.step("sim put NTAG216")
        let ended = try process.end()
        #expect(ended.errors.ranges(of: "Next: row 1,").count == 2)
        #expect(ended.status == 0 && ended.output.contains("Written: 1 of 1 rows"))
        // Simulates a crash after the last WRITE, before the journal was updated.
        let journal = DurableFile(job + ".journal")
        let text = String(decoding: try #require(try journal.read()), as: UTF8.self)
        try journal.write(Array(text.replacing("\"written\"", with: "\"unknown\"").utf8))
        let again = try start(["--lock"]).end()
        #expect(
            again.status == 0 && again.output.contains("Written: 1 of 1 rows"), "\(again.errors)")
    }

    @Test("A changed table is refused and its rows are named, but rows can be added")
    func changed() throws {
        try write(rows: 2)
        try till.step("sim put NTAG213")
        let process = try start()
        try written(1, process)
        process.signal(SIGKILL)
        _ = try process.end()
        for (table, more, difference) in [
            ("id,name\n1,Other\n2,Filament 2\n", [], "affected rows: 1. Nothing was written"),
            ("name,id\n1,Filament 1\n2,Filament 2\n", [], "The header of"),
            ("id,name\n1,Filament 1\n2,Filament 2\n", ["--lock"], "--lock"),
            ("id,name\n1,Filament 1\n2,Filament 2\n", ["--mirror", "uid"], "--mirror"),
            ("id,name\n1,Filament 1\n2,Filament 2\n", ["--text", "{{id}"], "The records"),
        ] {
            try DurableFile(job).write(Array(table.utf8))
            let refused = try start(more).end()
            #expect(
                refused.status == 2 && refused.errors.contains(difference), "\(refused.errors)")
        }
        try write(rows: 3)
        let resumed = try start()
        try resumed.wait("row 2") { try resumed.errors.contains("Next: row 2, 2 Filament 2.") }
        resumed.signal(SIGINT)
        let stopped = try resumed.end()
        #expect(stopped.output.contains("Written: 1 of 3 rows, 0 skipped, 2 remaining"))
        #expect(stopped.status == 130 && stopped.errors.contains("The job is not finished."))
    }

    @Test("A tag whose write was interrupted can be used again for its row and for another row")
    func again() throws {
        try write(rows: 2)
        try DurableFile(job).write(try #require(try DurableFile(job).read()), mode: 0o600)
        let process = try start()
        try process.wait("row 1") { try process.errors.contains("Next: row 1,") }
        func tear() throws -> String {
            // The last write sets the length. A torn one leaves a message that is cut off.
            try till.step("sim tear 12 torn mix 1")
            let uid = try ended(process) { try put("NTAG213") }
            let last = try #require(try result().last)
            #expect(last[0] == uid && last[4] == "unknown")
            return uid
        }
        let first = try tear()
        let second = try tear()
        try till.step("sim put \(second)")
        try written(1, process)
        try till.step("sim take")
        #expect(try process.errors.contains("Hold the tag to the reader again"))
        // The first tag holds part of row 1's message, which row 2 must not replace by itself.
        try process.wait("row 2") { try process.errors.contains("Next: row 2,") }
        try refused(first, process)
        process.signal(SIGINT)
        _ = try process.end()
        try till.step("sim put \(first)")
        let resumed = try start(["--overwrite"])
        #expect(try resumed.end().status == 0)
        #expect(
            try result().map { [$0[0], $0[1], $0[4]] } == [
                [second, "1", "written"], [first, "2", "written"],
            ])
        #expect(try DurableFile(till.file("job.result.csv")).permissions() == 0o600)
        try checkTags(2)
    }

    @Test("Invalid rows are skipped, and a dry run needs no tag")
    func bad() throws {
        try DurableFile(job).write(Array("id,name\n1,\n2,Good,more\n3,=Good\n".utf8))
        let words = [
            "tag", "write", "--file", job, "--url", "https://example.com/{id}", "--text", "{name}",
        ]
        let dry = try till.run(words + ["--dry-run"])
        #expect(dry.status == 0)
        #expect(
            dry.output == """
                Row 1: skipped (the name column is empty)
                Row 2: skipped (more cells than columns)
                Row 3: 30 bytes (fits NTAG213, NTAG215, NTAG216): https://example.com/3 | =Good

                """)
        try till.step("sim put NTAG213")
        let process = try till.start(words)
        #expect(try process.end().status == 0)
        try DurableFile(job + ".journal").remove()
        let lost = try till.run(words)
        #expect(lost.status == 2 && lost.errors.contains("the job's journal"))
        let result = try result()
        #expect(result.map { $0[4] } == ["bad-row", "bad-row", "written"])
        #expect(result[2][3] == "https://example.com/3 | =Good")
        try DurableFile(job).write(Array("url\nnoscheme\nhttps://example.com/ü\n".utf8))
        let links = try till.run(["tag", "write", "--file", job, "--dry-run"]).output
        #expect(links.contains("Row 1: skipped (the url column has no scheme)"), "\(links)")
        #expect(links.contains("https://example.com/%C3%BC"), "\(links)")
        let unknown = try till.run(["tag", "write", "--file", job, "--text", "{nmae}"])
        #expect(unknown.status == 2 && unknown.errors.contains("{nmae}"))
        try DurableFile(job).write(Array("text,lang\na,dé\n".utf8))
        let language = try till.run(["tag", "write", "--file", job, "--dry-run"])
        #expect(language.output == "Row 1: skipped (the language must be a code such as en)\n")
        try DurableFile(job).write(Array("url\nnot a url\n".utf8))
        let address = try till.run(["tag", "write", "--file", job, "--dry-run"])
        #expect(address.output.hasPrefix("Row 1: "), "\(address.output)")
        let late = try till.run(["tag", "write", "--file", job, "--start-row", "2"])
        #expect(late.status == 2 && late.errors.contains("--start-row is 2"))
        try DurableFile(job).write(Array("id,counter\n1,777777\n".utf8))
        let counter = ["tag", "write", "--file", job, "--url", "a:{counter}", "--dry-run"]
        #expect(try till.run(counter).output.contains("a:777777"))
        let reserved = try till.run(counter + ["--mirror", "counter"])
        #expect(reserved.status == 2 && reserved.errors.contains("a column named"))
        let stream = try till.run(["tag", "write", "--file", "-"])
        #expect(stream.status == 2 && stream.errors.contains("standard input"))
        let alone = try till.run(["tag", "write", "--dry-run", "--text", "a"])
        #expect(alone.status == 2 && alone.errors.contains("--file"))
    }

    /// Puts a new tag on the reader and returns its UID.
    private func put(_ chip: String) throws -> String {
        String(try till.step("sim put \(chip)").split(separator: " ")[1])
    }

    private func written(_ row: Int, _ process: ChildProcess) throws {
        try process.wait("row \(row) is written") {
            try process.errors.contains("Written: row \(row) to")
        }
    }

    /// Checks that each tag in the result file holds its row's records.
    private func checkTags(_ rows: Int) throws {
        let entries = try result()
        let done = entries.filter { ["written", "already-there"].contains($0[4]) }
        #expect(done.compactMap { Int($0[1]) } == Array(1...rows))
        #expect(Set(done.map { $0[0] }).count == rows)
        for entry in done {
            try till.step("sim put \(entry[0])")
            let document = try JSONValue.parsing(Array(till.step("tag read --json").utf8))
            let records = try #require(document["records"]?.array)
            #expect(records.count == 2)
            #expect(records[0]["uri"]?.string == "https://example.com/\(entry[1])")
            #expect(records[1]["text"]?.string == "Filament \(entry[1]) \(entry[1])")
        }
    }
}
