import TapcardDomain
import Testing
import TextCodecs
import Verbs

@Suite("Progress of a write job")
struct WriteJobTests {
    private let time = Timestamp(milliseconds: 1_700_000_000_000)
    private let rows = [["a"], ["b"], ["c"]]

    private func job() -> WriteJob { WriteJob(rows, records: "r") }

    @Test("A row stays next until it is written, and a resumed job continues there")
    func next() throws {
        var job = job()
        job.begin(1, "AA", "a", at: time)
        #expect(job.next(from: 1) == 1 && job.row(of: "AA") == nil)
        job.end(1, "AA", .written, at: time)
        job.begin(2, "BB", "b", at: time)
        job.end(2, "BB", .alreadyThere, at: time)
        #expect(job.next(from: 1) == 3 && job.row(of: "AA") == 1)
        #expect(job.next(from: 4) == nil && job.next(from: 9) == nil)
        let stored = try JSONValue.parsing(Array(job.document.text.utf8))
        var resumed = self.job()
        #expect(resumed.changedRows(since: stored) == [])
        let isResumed = resumed.resume(stored)
        #expect(isResumed && resumed == job)
    }

    @Test("If a second tag is used for a row, the first keeps its entry as unknown")
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

    @Test("Changed and removed rows are reported, except skipped ones")
    func changed() {
        var begun = job()
        begun.refuse(3, "bad", at: time)
        let stored = begun.document
        #expect(WriteJob([["a"], ["b"], ["y"]], records: "r").changedRows(since: stored) == [])
        #expect(WriteJob([["a"], ["x"], ["c"]], records: "r").changedRows(since: stored) == [2])
        #expect(WriteJob([["a"]], records: "r").changedRows(since: stored) == [2])
        #expect(WriteJob(rows + [["d"]], records: "r").changedRows(since: stored) == [])
        #expect(WriteJob(rows, records: "s").changedRows(since: stored) == [1, 2])
        #expect(job().changedRows(since: [:]) == nil)
    }

    @Test("A damaged journal cannot be resumed")
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
