import TapcardDomain
import Testing
import TextCodecs
import Verbs

@Suite("Progress of a write job")
struct WriteJobTests {
    private let time = Timestamp(milliseconds: 1_700_000_000_000)

    private func job(
        _ rows: [[String]] = [["a"], ["b"], ["c"]], columns: [String] = ["name"],
        options: [UInt8] = [1], salt: [UInt8] = [2]
    ) -> WriteJob {
        WriteJob(columns: columns, rows, salt: salt, optionsHash: options)
    }

    /// What keeps this job from being resumed; nil if nothing does.
    private func obstacle(_ job: WriteJob, _ stored: JSONValue) -> WriteJob.Obstacle? {
        var job = job
        do throws(WriteJob.Obstacle) { try job.resume(stored) } catch { return error }
        return nil
    }

    @Test("A row stays next until it is written, and a resumed job continues there")
    func next() throws {
        var job = job()
        job.begin(1, "AA", "a", at: time)
        #expect(job.next(from: 1) == 1 && job.row(of: "AA") == nil)
        job.end(1, "AA", "a", .written, at: time)
        job.end(2, "BB", "b", .alreadyThere, at: time)
        #expect(job.next(from: 1) == 3 && job.row(of: "AA") == 1)
        #expect(job.next(from: 4) == nil && job.next(from: 9) == nil)
        let stored = try JSONValue.parsing(Array(job.document.text.utf8))
        var resumed = self.job()
        try resumed.resume(stored)
        #expect(resumed == job && WriteJob.salt(of: stored) == [2])
    }

    @Test("If a second tag is used for a row, the first keeps its entry as unknown until written")
    func thrownAway() {
        var job = job()
        job.begin(1, "AA", "a", at: time)
        job.begin(1, "BB", "a", at: time)
        job.end(1, "BB", "a", .written, at: time)
        #expect(
            job.result.replacing("\r\n", with: "\n") == """
                uid,row,time,content,outcome
                AA,1,2023-11-14T22:13:20Z,a,unknown
                BB,1,2023-11-14T22:13:20Z,a,written

                """)
        job.end(2, "AA", "b", .written, at: time)
        #expect(
            job.result.replacing("\r\n", with: "\n") == """
                uid,row,time,content,outcome
                BB,1,2023-11-14T22:13:20Z,a,written
                AA,2,2023-11-14T22:13:20Z,b,written

                """)
    }

    @Test("A changed header, changed options, and changed rows that were begun are reported")
    func changed() {
        var begun = job()
        begun.refuse(3, "bad", at: time)
        // Nothing was written yet, so anything may change.
        #expect(obstacle(job([["x"], ["b"], ["c"]], options: [9]), begun.document) == nil)
        begun.begin(1, "AA", "a", at: time)
        begun.end(2, "BB", "b", .written, at: time)
        let stored = begun.document
        #expect(obstacle(job([["a"], ["b"], ["y"]]), stored) == nil)
        #expect(obstacle(job([["a"], ["b"], ["c"], ["d"]]), stored) == nil)
        #expect(obstacle(job([["a"], ["b"]]), stored) == nil)
        #expect(obstacle(job([["a"], ["x"], ["c"]]), stored) == .changedRows([2]))
        #expect(obstacle(job([["x"]]), stored) == .changedRows([1, 2]))
        #expect(obstacle(job(options: [9]), stored) == .changedOptions)
        #expect(obstacle(job(columns: ["other"], options: [9]), stored) == .changedHeader)
    }

    @Test("Equal rows have different hashes in different jobs")
    func salted() {
        #expect(job().document["columns"] != job(salt: [3]).document["columns"])
        #expect(job().document["rows"] != job(options: [3]).document["rows"])
    }

    @Test("A damaged journal cannot be resumed")
    func damaged() {
        let whole = job().document
        #expect(obstacle(job(), whole) == nil)
        #expect(obstacle(job(), [:]) == .damaged)
        let entry: JSONValue = [
            "row": 4, "uid": "AA", "at": 1, "content": "a", "outcome": "written",
        ]
        for entry in [[:], ["row": 1], ["row": "1", "uid": "AA"], entry] as [JSONValue] {
            let stored: JSONValue = [
                "columns": whole["columns"] ?? "", "options": whole["options"] ?? "",
                "rows": whole["rows"] ?? "", "entries": [entry],
            ]
            #expect(obstacle(job(), stored) == .damaged)
        }
    }
}
