import DurableFile
import PrivatePostgreSQL
import Testing

extension OutOfReachTests {
    /// It has no masters: its journal and its snapshot are under a key that its table brings.
    @Test("sells on with a table of card keys, also with one that takes its place in between")
    func withTable() throws {
        var house = try House()
        defer { house.server.kill() }
        let first = try house.till()
        try first.step("sim put NTAG424")
        try first.step("issue --balance 20")
        let till = try house.till(["TAPCARD_OFFLINE_PURCHASES": "true"])
        func bring(_ name: String) throws {
            let told = try first.step("keys table ~/\(name)").split(separator: "\n")
            let passphrase = String(try #require(told[1].split(separator: " ").last))
            let ended = try till.run(
                "keys import \(first.counter.file(name))",
                with: ["TAPCARD_TABLE_PASSPHRASE": passphrase])
            #expect(ended.status == 0, "\(ended)")
        }
        try bring("table")
        #expect(try till.step("station snapshot") == "The snapshot has 1 card")
        house.server.kill()
        #expect(try till.step("pay 4.50").hasPrefix("Paid €4.50 (deferred), €15.50 left"))
        #expect(try till.run("pay 6").status == 9)
        let read = try till.run("read")
        #expect(read.status == 9 && read.output.contains("€15.50"), "\(read)")
        let journal = till.folder + "/deferred.journal"
        let copy = first.counter.file("copy")
        try DurableFile(copy).write(try #require(try DurableFile(journal).read()))
        try house.recover()
        // The purchase still waits when other keys come, which lack the one that sealed it.
        try house.owner.step("keys import \(first.counter.keys)")
        try house.owner.step("keys rotate --now")
        try house.owner.step("keys export ~/new")
        try first.step("keys import \(house.owner.counter.file("new"))")
        try first.step("pay 1")
        try bring("newer")
        try house.owner.step("keys retire 1 --for-ever")
        #expect(try till.step("station settle") == "1 deferred purchase booked, €4.50.")
        #expect(try till.step("pay 0.50").hasPrefix("Paid €0.50, €14.00 left"))
        // A station of the house books a copy of it, once.
        #expect(try first.step("station settle \(copy)") == "Nothing is left to book")
        #expect(try till.step("audit").contains("every invariant holds"))
    }
}
