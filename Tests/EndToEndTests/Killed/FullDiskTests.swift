import Glibc
import TestSupport
import Testing

/// The disk fails at one call after another. Whatever the program then reports is true, no money is
/// lost or doubled, and the next tap on a working disk resolves the operation.
@Suite("A full or failing disk", .ownThread)
struct FullDiskTests {
    @Test(
        "A change is reported truthfully and resolved when the disk fills up at any call",
        arguments: Thoroughness.some([Change.pay, .add, .issue, .close], of: 2))
    func full(change: Change) throws {
        let till = try FaultyTill(change, counting: "ledger")
        let step = Thoroughness.step(change.line == Change.pay.line ? 2 : 4, usual: 16)
        let places = till.places([.failOn(ENOSPC)]) {
            $0.number.isMultiple(of: step) || $0.name == "sync"
        }
        let count = try till.play(places, next: .read)
        #expect(count >= 50 / step)
        // Before anything was begun, afterwards, and where only tidying up was left to do.
        if !Thoroughness.isSanitized {
            #expect(Set(till.answers.keys).isSuperset(of: [0, 6, 9]))
        }
        let words = till.answers[9, default: []]
        #expect(words.contains { $0.contains("no space left") })
        #expect(!words.contains { $0.contains("does not exist") })
        // The commit that begins it may have reached the disk, and the ledger cannot be asked.
        let unknown = till.answers[6, default: []]
        #expect(unknown.contains { $0.contains("and may or may not contain it") }, "\(unknown)")
    }

    @Test(
        "A change whose sync fails is reported as done or as unknown, and resolved",
        arguments: Thoroughness.some([Change.pay, .add, .issue, .close], of: 4))
    func unsynced(change: Change) throws {
        let till = try FaultyTill(change, counting: "sync")
        let count = try till.play(till.places([.fail(EIO), .failOn(EIO)]), next: .read)
        #expect(count >= 12)
        // What was written is there or is not: nothing may be said of it that a sync decides.
        #expect(Set(till.answers.keys) == [0, 6])
        let unknown = till.answers[6, default: []]
        #expect(unknown.contains { $0.contains("and may or may not contain it") }, "\(unknown)")
    }

    /// A short write is continued; a failed one reports that nothing was changed.
    @Test(
        "A change whose write fails or is cut short is reported truthfully and resolved",
        arguments: Thoroughness.some([Change.pay, .add], of: 2))
    func unwritten(change: Change) throws {
        let till = try FaultyTill(change, counting: "ledger")
        let step = Thoroughness.step(3, usual: 15)
        let places = till.places([.fail(EIO), .short], every: step) { $0.name == "write" }
        #expect(try till.play(places, next: .read) >= 2 * 30 / step)
    }

    @Test(
        "A change to a secret file whose sync fails says correctly whether the change is in place",
        arguments: [
            ("keys rotate", "keys.json", "The key file was not changed."),
            ("cashiers remove Ann", "cashiers.json", "The file is unchanged, and its cashiers can"),
        ])
    func secrets(line: String, file: String, unchanged: String) throws {
        let till = try Till()
        try till.step("issue --balance 20")
        let added = try till.run(
            ["cashiers", "add", "Ann"], with: ["TAPCARD_CASHIER_PASSWORD": "ten euros, please"])
        #expect(added.status == 0, "\(added.errors)")
        let start = try Till(like: till)
        let watched = try KillSwitch(till, files: till.data)
        let change = till.words(of: line)
        let path = till.data + "/" + file
        let changed = try till.run(change, with: watched.variables(calls: "sync"))
        #expect(changed.status == 0)
        let syncs = try watched.takeLog().counted
        var wereInPlace: Set<Bool> = []
        for number in stride(from: 1, through: syncs, by: 1) {
            try till.takeFiles(of: start)
            let before = try till.text(of: path)
            let ended = try till.run(
                change, with: watched.variables(.fail(EIO), at: number, calls: "sync"))
            #expect(ended.status == 1, "\(ended.errors)")
            let isInPlace = try till.text(of: path) != before
            wereInPlace.insert(isInPlace)
            #expect(
                ended.errors.contains("The change is in place") == isInPlace, "\(ended.errors)")
            #expect(ended.errors.contains(unchanged) != isInPlace, "\(ended.errors)")
            #expect(try till.step("pay 1").hasPrefix("Paid $1.00, $19.00 left\n"))
        }
        #expect(wereInPlace == [true, false])
    }

    /// Once for the file and once for the folder. The calls themselves fail, because root may write
    /// anywhere.
    @Test(
        "A read-only ledger refuses changes but can still be read",
        arguments: [("open,create", EROFS), ("create", EACCES)])
    func readOnly(calls: String, number: Int32) throws {
        let till = try Till()
        try till.step("issue --balance 20")
        let tag = try till.text(of: till.simulation.path)
        let refused = try KillSwitch(till, files: till.data + "/ledger.sqlite")
            .variables(.failOn(number), at: 1, calls: calls)
        for line in ["pay 1", "add 1", "close", "scratch"] {
            let ended = try till.run(till.words(of: line), with: refused)
            #expect(ended.status == 9, "\(line): \(ended.errors)")
            #expect(ended.errors.contains("cannot be written"), "\(line): \(ended.errors)")
            #expect(ended.output.isEmpty, "\(line): \(ended.output)")
        }
        // What only looks works, and finds what is there.
        for (line, words) in [
            ("read", "No name, $20.00\n"), ("read", "ledger: card found"), ("history", "issue"),
            ("takings", "$20.00"), ("audit", "Cards: 1; operations: 1; unfinished: none; rules"),
            ("backup ~/copy-of-\(number)", "Ledger backed up to "),
        ] {
            let ended = try till.run(till.words(of: line), with: refused)
            #expect(ended.status == 0, "\(line): \(ended.errors)")
            #expect(ended.output.contains(words), "\(line): \(ended.output)")
        }
        #expect(try till.text(of: till.simulation.path) == tag)
        #expect(try till.step("read").hasPrefix("No name, $20.00\n"))
    }
}
