import Tags
import Testing

@Suite("Password protection of a Type 2 tag") struct TagProtectionTests {
    private let data = Page(1, 2, 3, 4)
    private let wrong: [UInt8] = [0, 0, 0, 0]

    @Test(
        "Writes from the first protected page on need the password", arguments: Type2Chip.known,
        [UInt8(0x02), 0x04, 0x10])
    func protectsWritesFromTheFirstPage(_ chip: Type2Chip, _ first: UInt8) throws {
        var bench = try TagBench(chip)
        try bench.configure(from: first, access: 0)
        let configuration = try #require(chip.configurationPage)
        for page in 4...configuration + 3 {
            var copy = bench
            #expect(copy.send(.write(page, data)) == (page < first ? .ack : TagBench.refused))
            copy = bench
            let reply = copy.send(.compatibilityWrite(page))
            #expect(reply == (page < first ? .ack : TagBench.refused))
            copy = bench
            #expect(copy.authenticate() == .data([0, 0]))
            #expect(copy.send(.write(page, data)) == .ack)
        }
        // Without PROT everyone reads everything.
        guard case .data = bench.send(.fastRead(0, configuration + 3)) else {
            Issue.record("reading is protected")
            return
        }
    }

    @Test("A first protected page beyond the last one protects nothing")
    func protectsNothingBeyondTheLastPage() throws {
        var bench = try TagBench(.ntag213)
        try bench.configure(from: 0x2D, access: 0x80)
        #expect(bench.send(.write(0x2C, data)) == .ack)
        #expect(bench.send(.read(0x2C)) != TagBench.refused)
    }

    @Test("Protection settings take effect after a power cycle")
    func configurationActsAfterAPowerCycle() throws {
        var bench = try TagBench(.ntag213)
        #expect(bench.send(.write(0x2A, Page(0x80, 5, 0, 0))) == .ack)
        #expect(bench.send(.write(0x29, Page(4, 0, 0, 0x04))) == .ack)
        #expect(bench.send(.write(4, data)) == .ack)
        #expect(bench.sendAfterSelecting(.write(5, data)) == .ack)
        #expect(bench.send(.read(4)) != TagBench.refused)
        bench.powerCycle()
        #expect(bench.send(.write(5, data)) == TagBench.refused)
        #expect(bench.sendAfterSelecting(.read(4)) == TagBench.refused)

        bench.select()
        #expect(bench.authenticate() == .data([0, 0]))
        #expect(bench.send(.write(0x29, Page(4, 0, 0, 0xFF))) == .ack)
        #expect(bench.sendAfterSelecting(.write(5, data)) == TagBench.refused)
        bench.powerCycle()
        #expect(bench.send(.write(5, data)) == .ack)
    }

    @Test("A new password and PACK take effect at once and read as zeros")
    func passwordAndPACKActAtOnce() throws {
        var bench = try TagBench(.ntag213)
        #expect(bench.send(.write(0x2B, data)) == .ack)
        #expect(bench.send(.write(0x2C, Page(0xD1, 0xA1, 0, 0))) == .ack)
        #expect(bench.authenticate(data.bytes) == .data([0xD1, 0xA1]))
        #expect(bench.authenticate() == TagBench.refused)
        #expect(bench.sendAfterSelecting(.fastRead(0x2B, 0x2C)) == .data([0, 0, 0, 0, 0, 0, 0, 0]))
    }

    @Test("A password with any one bit wrong is refused", arguments: 0..<32)
    func everyBitOfThePasswordCounts(_ bit: Int) throws {
        var bench = try TagBench(.ntag213)
        var password = TagBench.factoryPassword
        password[bit / 8] ^= 1 << (bit % 8)
        #expect(bench.authenticate(password) == TagBench.refused)
        #expect(bench.send(.getVersion) == .silence)
    }

    @Test("A password of the wrong length is refused", arguments: [0, 3, 5])
    func refusesAPasswordOfAnotherLength(_ length: Int) throws {
        var bench = try TagBench(.ntag213)
        #expect(bench.authenticate([UInt8](repeating: 0xFF, count: length)) == TagBench.refused)
    }

    @Test("Without a limit, wrong passwords are not counted")
    func withoutALimitNothingIsCounted() throws {
        var bench = try TagBench(.ntag213)
        for _ in 0..<20 {
            bench.select()
            #expect(bench.authenticate(wrong) == TagBench.refused)
        }
        #expect(bench.memory.failedPasswords == 0)
        bench.select()
        #expect(bench.authenticate() == .data([0, 0]))
    }

    @Test("At the limit of wrong passwords, even the right one is refused", arguments: 1...7)
    func closesForEverAtTheLimit(_ limit: Int) throws {
        var bench = try TagBench(.ntag213)
        try bench.configure(from: 0x04, access: UInt8(limit))
        for attempt in 1...limit {
            bench.powerCycle()
            #expect(bench.authenticate(wrong) == TagBench.refused)
            #expect(bench.memory.failedPasswords == attempt)
        }
        for password in [wrong, TagBench.factoryPassword] {
            bench.powerCycle()
            #expect(bench.authenticate(password) == .nak(NAK.authenticationLimit))
            #expect(bench.send(.getVersion) == .silence)
        }
        #expect(bench.memory.failedPasswords == limit)
        #expect(bench.sendAfterSelecting(.write(4, data)) == TagBench.refused)
    }

    @Test("The right password resets the count of wrong ones")
    func theRightPasswordResetsTheCount() throws {
        var bench = try TagBench(.ntag213)
        try bench.configure(access: 2)
        for _ in 0..<3 {
            #expect(bench.authenticate(wrong) == TagBench.refused)
            #expect(bench.memory.failedPasswords == 1)
            bench.select()
            #expect(bench.authenticate() == .data([0, 0]))
            #expect(bench.memory.failedPasswords == 0)
        }
    }

    @Test("Locked settings cannot be changed, but password and PACK can")
    func theConfigurationCanBeLocked() throws {
        var bench = try TagBench(.ntag213)
        #expect(bench.send(.write(0x2A, Page(0x40, 5, 0, 0))) == .ack)
        // The lock itself waits for the power cycle.
        #expect(bench.send(.write(0x29, Page(4, 0, 0, 0xFE))) == .ack)
        bench.powerCycle()
        let before = bench.memory
        #expect(bench.send(.write(0x29, data)) == TagBench.refused)
        #expect(bench.sendAfterSelecting(.write(0x2A, data)) == TagBench.refused)
        bench.select()
        #expect(bench.authenticate() == .data([0, 0]))
        #expect(bench.send(.compatibilityWrite(0x2A)) == TagBench.refused)
        #expect(bench.memory == before)
        #expect(bench.sendAfterSelecting(.write(0x2B, data)) == .ack)
        #expect(bench.send(.write(0x2C, data)) == .ack)
    }
}
