import OperatingSystem
import TestSupport
import Testing

/// The built program is killed before and after each message to its database. Its request has then
/// happened once or not at all, and the next tap finds out which.
@Suite("A program killed while it talks to PostgreSQL", .ownThread)
struct KilledStationTests {
    @Test(
        "A payment killed at any message to PostgreSQL happens once or not at all",
        arguments: ["pay"])
    func payment(verb: String) throws {
        try KilledStationTests.kill(
            verb, moving: -100, says: "Paid", step: Thoroughness.step(1, usual: 6))
    }

    @Test("A top-up killed at a message to PostgreSQL happens once or not at all", .checkOnly)
    func topUp() throws {
        try KilledStationTests.kill("add", moving: 100, says: "Added", step: Thoroughness.step(4))
    }

    private static func kill(
        _ verb: String, moving cents: Int, says done: String, step: Int
    ) throws {
        try TestIssuer.opened { owner, server, _ in
            let till = try owner.station(1)
            try till.step("demo")
            try till.step("add 100")
            let switcher = try KillSwitch(
                till.till, files: "/nonexistent", database: folder(of: server))
            func run(_ line: String, _ variables: [String: String?] = [:]) throws -> Ended {
                try till.till.run(till.words(of: line), with: variables)
            }
            func balance() throws -> Int {
                let read = try run("read --json")
                let text = try #require(Change.Found(in: read.output)?.balance, "\(read.output)")
                return try #require(Int(text.replacing(".", with: "")))
            }
            let whole = try run("\(verb) 1 --operation \(id(0))", switcher.variables())
            #expect(whole.status == 0, "\(whole.errors)")
            let sends = try switcher.takeLog().filter { $0.kind == "database" }.counted
            #expect(sends >= 6)
            var (left, told, happened, voided) = (try balance(), 0, 0, 0)
            var round = 0
            for place in stride(from: sends, through: 1, by: -step) {
                for action in [KillSwitch.Action.killBefore, .killAfter] {
                    round += 1
                    let line = "\(verb) 1 --operation \(id(round))"
                    let ended = try run(line, switcher.variables(action, at: place))
                    let what: Comment = "\(action) send \(place) of \(verb): \(ended.output)"
                    #expect(ended.status == 137, what)
                    let wasTold = ended.output.contains(done)
                    if wasTold { told += 1 }
                    // Every other time, the card is read before the request comes again.
                    let isRead = round.isMultiple(of: 2)
                    if isRead {
                        let seen = try balance()
                        #expect(seen == left || seen == left + cents, what)
                    }
                    let again = try run(line + " --json")
                    if again.status == 0 {
                        left += cents
                        if again.output.contains(#""replayed":true"#) { happened += 1 }
                    } else {
                        voided += 1
                        #expect(again.status == 4 && isRead && !wasTold, "\(what) \(again.output)")
                        #expect(again.output.contains(#""error":"operation-voided""#), what)
                    }
                    if wasTold { #expect(again.output.contains(#""replayed":true"#), what) }
                    #expect(try balance() == left, what)
                }
            }
            print(
                "\(verb) killed \(round) times at its \(sends) sends: told \(told), "
                    + "done before the repetition \(happened), voided by a tap \(voided)")
            #expect(happened > 0 && happened < round)
            let audit = try run("audit --json").output
            #expect(audit.contains(#""open":0,"violations":[]"#), "\(audit)")
        }
    }

    private static func id(_ number: Int) -> String {
        let digits = String(number + 100, radix: 16)
        return "6f1c2a34-5b6d-4e7f-8a90-" + String(repeating: "0", count: 12 - digits.count)
            + digits
    }

    private static func folder(of server: PrivatePostgreSQL) -> String {
        server.socket.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            .joined(separator: "/")
    }

    @Test(
        "A ledger move killed at any call never leaves two usable ledgers and can be repeated",
        .checkOnly)
    func move() throws {
        let server = try PrivatePostgreSQL.shared.get()
        let original = try Till()
        for line in ["demo", "add 20", "pay 1.50"] { try original.step(line) }
        let (calls, _) = try KilledStationTests.move(original, into: server, nil)
        #expect(calls > 20)
        let step = Thoroughness.step(13)
        var (kept, copied) = (0, 0)
        for place in stride(from: calls, through: 1, by: -step) {
            let action: KillSwitch.Action = place.isMultiple(of: 2) ? .killBefore : .killAfter
            let (_, wasThere) = try KilledStationTests.move(original, into: server, (action, place))
            if wasThere { copied += 1 } else { kept += 1 }
        }
        print(
            "ledger copy killed at every \(step) of \(calls) calls: the copy was there \(copied) "
                + "times, and not \(kept) times")
        #expect(kept > 0 && copied > 0)
    }

    /// The number of calls and, after a kill, whether the copy existed before the repetition.
    private static func move(
        _ original: Till, into server: PrivatePostgreSQL,
        _ kill: (action: KillSwitch.Action, place: Int)?
    ) throws -> (calls: Int, wasThere: Bool) {
        let till = try Till(like: original)
        let name = "moved_\(UInt32.random(in: 0...UInt32.max))"
        let place = try server.database(name)
        defer { try? server.remove(name) }
        let switcher = try KillSwitch(till, database: folder(of: server))
        let copy = ["ledger", "copy", till.ledger, "--into", place]
        let what: Comment = "\(kill.map { "\($0.action) call \($0.place)" } ?? "undisturbed")"
        let ended = try till.run(
            copy, with: switcher.variables(kill?.action, at: kill?.place ?? 0))
        let calls = try switcher.takeLog().counted
        #expect(ended.status == (kill == nil ? 0 : 137), "\(what): \(ended.errors)")
        let tables = "SELECT count(*) FROM pg_tables WHERE tablename = 'setting'"
        let wasThere = try server.answer(to: tables, in: name) == "1"
        if kill != nil {
            // One of them can be sold from, never both.
            let isInUse = try DurableFile(till.ledger).permissions() != nil
            #expect(!(isInUse && wasThere), what)
            let again = try till.run(copy)
            #expect(again.status == 0, "\(what): \(again.errors)")
            #expect(again.output.contains("already copied to the database") == wasThere, what)
        }
        #expect(try DurableFile(till.ledger).permissions() == nil, what)
        let ledger = ["--ledger", place]
        let audit = try till.run(ledger + ["audit", "--json"])
        #expect(audit.output.contains(#""open":0,"violations":[]"#), "\(what): \(audit.output)")
        let read = try till.run(ledger + ["read", "--json"])
        #expect(Change.Found(in: read.output)?.balance == "18.50", "\(what): \(read.output)")
        let third = try till.run(copy)
        #expect(third.status == 0 && third.output.contains("already copied to the database"), what)
        return (calls, wasThere)
    }
}
