import TapcardDomain
import Testing
import TextCodecs
import Verbs

@Suite("A job's rows and tags")
struct WriteJobTests {
    private let time = Timestamp(milliseconds: 1_700_000_000_000)
    private let rows = [["a"], ["b"], ["c"]]

    private func job() -> WriteJob { WriteJob(rows, records: "r") }

    @Test("A row is next until a tag holds it, also after a stored job is resumed")
    func next() throws {
        var job = job()
        job.begin(1, "AA", "a", at: time)
        #expect(job.next(from: 1) == 1 && job.row(of: "AA") == nil)
        job.end(1, "AA", .written, at: time)
        job.refuse(2, "bad", at: time)
        #expect(job.next(from: 1) == 3 && job.row(of: "AA") == 1)
        #expect(job.next(from: 4) == nil && job.next(from: 9) == nil)
        let stored = try JSONValue.parsing(Array(job.document.text.utf8))
        var resumed = self.job()
        #expect(resumed.changedRows(since: stored) == [])
        let isResumed = resumed.resume(stored)
        #expect(isResumed && resumed == job)
    }

    @Test("A tag that was thrown away keeps its entry beside the one that replaced it")
    func thrownAway() {
        var job = job()
        job.begin(1, "AA", "a", at: time)
        job.begin(1, "BB", "a", at: time)
        job.end(1, "BB", .written, at: time)
        #expect(job.entries.map(\.uid) == ["AA", "BB"])
        #expect(job.entries.map(\.outcome) == [.unknown, .written])
        #expect(
            job.result == """
                uid,row,time,content,outcome
                AA,1,2023-11-14T22:13:20Z,a,unknown
                BB,1,2023-11-14T22:13:20Z,a,written

                """)
    }

    @Test("Changed, removed and added rows are told apart")
    func changed() {
        let stored = job().document
        #expect(WriteJob([["a"], ["x"], ["c"]], records: "r").changedRows(since: stored) == [2])
        #expect(WriteJob([["a"]], records: "r").changedRows(since: stored) == [2, 3])
        #expect(WriteJob(rows + [["d"]], records: "r").changedRows(since: stored) == [])
        #expect(WriteJob(rows, records: "s").changedRows(since: stored) == [1, 2, 3])
        #expect(job().changedRows(since: [:]) == nil)
    }

    @Test("A damaged journal is not taken over")
    func damaged() {
        var job = job()
        for entry in [[:], ["row": 1], ["row": "1", "uid": "AA"]] as [JSONValue] {
            let isResumed = job.resume(["entries": [entry]])
            #expect(!isResumed)
        }
        let isResumed = job.resume([:])
        #expect(!isResumed)
    }
}
