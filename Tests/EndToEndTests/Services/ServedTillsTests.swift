import PN532Emulator
import SimulatedReader
import Tags
import TestSupport
import Testing
import TextCodecs

@Suite("Several tills at one server", .ownThread)
struct ServedTillsTests {
    /// Two simulated readers, `sim` and one with a file of its own.
    private func simulated(_ body: (Till, ServedTills) throws -> Void) throws {
        let till = try Till()
        let served = try ServedTills(
            till, ["--reader", "sim", "--reader", "sim:\(till.file("second.txt"))"])
        try body(till, served)
        try served.page.stop()
        #expect(try till.step("audit").contains("rules: all hold"))
    }

    @Test("A card moves from till to till, and each till starts with its own tag")
    func carried() throws {
        try simulated { till, served in
            var numbers: [String] = []
            for number in 1...2 {
                try served.wait("it sees its tag", at: number) { $0["problem"] != .null }
                let uid = try served.get("card", at: number)["problem"]?["uid"]?.string
                numbers.append(try #require(uid))
            }
            #expect(numbers[0] == Till.firstUID && numbers[1] != numbers[0])
            #expect(try served.call("demo", at: 1).status == "200")
            #expect(try served.call("add", #"{"amount":"20"}"#, at: 1).status == "200")
            try served.carry(Till.firstUID, to: 2)
            #expect(try served.pay("4.50", at: 2) == "15.50")
            try served.wait("the first is empty", at: 1) { $0["session"] == .null }
            // It left the drawer of the first reader, too, and comes back as it is now.
            let tags = try served.get("simulator", at: 1)["tags"]?.array ?? []
            #expect(
                Set(tags.compactMap { $0["uid"]?.string }) == Set(numbers), "\(tags)")
            try served.carry(Till.firstUID, to: 1)
            #expect(try served.pay("1", at: 1) == "14.50")
            let log = try served.page.process.errors
            for number in 1...2 {
                #expect(log.contains(#""event":"operation","till":\#(number),"operation""#))
            }
            // The command line works on the same ledger.
            #expect(try till.step("history --last 1").contains("$1.00"))
        }
    }

    @Test("Two payments at once, one at each till, both happen")
    func concurrently() throws {
        try simulated { _, served in
            for number in 1...2 {
                let issued = try served.call(
                    "issue", #"{"name":"Ann","balance":"20","anyChip":true}"#, at: number)
                #expect(issued.status == "200", "\(issued.json.text)")
            }
            for _ in 1...3 {
                let running = try (1...2).map {
                    try served.begin("pay", #"{"amount":"1","again":true}"#, at: $0)
                }
                for process in running { #expect(try process.end().output.hasSuffix(" 200")) }
            }
            for number in 1...2 {
                #expect(try served.call("read", at: number).json["balance"]?.string == "17.00")
            }
        }
    }

    @Test(
        "A till pays while the other is unplugged, and a copied card causes no unreported payment")
    func emulated() throws {
        let first = try EmulatedTill(link: true)
        var drawer = Simulation()
        drawer.put([drawer.addTag(.ntag215) { [UInt8](repeating: 7, count: $0) }?.uid ?? []])
        var options = EmulatedReader.Options()
        options.link = first.till.file("second-reader")
        let second = try EmulatedReader.start(drawer, options)
        defer { second.stop() }
        let names = try [first.reader, second].map { try #require($0.connectionString) }
        let served = try ServedTills(
            first.till, names.flatMap { ["--reader", $0] })
        #expect(try served.call("demo", at: 1).status == "200")
        #expect(try served.call("add", #"{"amount":"20"}"#, at: 1).status == "200")
        #expect(
            try served.call("issue", #"{"name":"Ann","balance":"5","anyChip":true}"#, at: 2)
                .status == "200")
        #expect(try served.pay("1", at: 1) == "19.00")

        // The cable of the second; the first one notices nothing.
        #expect(!second.control("unplug").contains("error"))
        try served.page.process.wait("the second has no reader") {
            try served.get("health", at: 2)["status"]?.string == "no-reader"
        }
        #expect(try served.pay("1", at: 1) == "18.00")
        #expect(try served.get("health", at: 1)["status"]?.string == "ok")
        #expect(!second.control("plug").contains("error"))
        try served.wait("it reads again", at: 2) { $0["read"] != .null }
        #expect(try served.pay("1", at: 2) == "4.00")

        try ServedTillsTests.payWithCopies(first.reader, second, served)
        try served.page.stop()
        #expect(try first.till.step("audit").contains("rules: all hold"))
    }

    /// A perfect copy of the first card lies on the second reader, and both are charged at once.
    private static func payWithCopies(
        _ first: EmulatedReader, _ second: EmulatedReader, _ served: ServedTills
    ) throws {
        let copied = try #require(first.simulation.tags.first)
        second.change { world in
            world.save(copied)
            world.put([copied.uid])
        }
        try served.wait("the copy is read", at: 2) {
            $0["read"]?["uid"]?.string == Till.firstUID
        }
        let running = try (1...2).map { try served.begin("pay", #"{"amount":"2"}"#, at: $0) }
        var (paid, unknown) = (0, 0)
        for process in running {
            let (status, json) = try served.answer(process.end().output)
            if status == "200" { paid += 1 }
            if json["result"]?.string == "unknown" { unknown += 1 }
            #expect(["200", "409", "500"].contains(status), "\(json.text)")
        }
        let entries = try served.get("history?card=\(Till.firstUID)", at: 1)["entries"]
        let payments = (entries?.array ?? []).filter {
            $0["kind"]?.string == "pay" && $0["state"]?.string == "committed"
        }
        // Two before; of the two at once those that were told as paid, and none that was refused.
        #expect((2 + paid...2 + paid + unknown).contains(payments.count))
    }

    @Test("Each till has its own connection to PostgreSQL")
    func database() throws {
        let server = try PrivatePostgreSQL.shared.get()
        let name = "counters_\(UInt32.random(in: 0...UInt32.max))"
        let address = try server.database(name)
        defer { try? server.remove(name) }
        let station = "till-\(UInt32.random(in: 0...UInt32.max))"
        let owner = try Till(["TAPCARD_READER": ""])
        try owner.step("--ledger \(address) ledger init --currency EUR")
        try owner.step("--ledger \(address) servers add \(station) ~/login.pgpass")
        let till = try Till(["PGPASSFILE": "\(owner.home)/login.pgpass"])
        let place = address.replacing("user=tapcard", with: "user=\(station)")
        let served = try ServedTills(
            till,
            [
                "--ledger", place, "--reader", "sim", "--reader",
                "sim:\(till.file("second.txt"))",
            ])
        #expect(try served.call("demo", at: 1).status == "200")
        #expect(try served.call("add", #"{"amount":"20"}"#, at: 1).status == "200")
        try served.carry(Till.firstUID, to: 2)
        #expect(try served.pay("4.50", at: 2) == "15.50")
        try served.carry(Till.firstUID, to: 1)
        #expect(try served.pay("1", at: 1) == "14.50")
        let connections = try server.answer(
            to: "SELECT count(*) FROM pg_stat_activity WHERE usename = '\(station)'", in: name)
        #expect(connections == "2")
        try served.page.stop()
        #expect(
            try till.step("--ledger \(place) audit").contains("rules: all hold"))
    }
}
