import Tags
import Testing

/// LRP, the chip's other protocol, is not supported. It must be recognized before a key is tried,
/// because the chip counts wrong keys.
@Suite("An NTAG 424 switched to LRP")
struct OtherProtocolTests {
    private func switched() throws -> PlayedNTAG424 {
        var chip = PlayedNTAG424()
        _ = try chip.run(.selectApplication)
        try chip.authenticate(.application)
        _ = try chip.run(.setConfiguration(.leakageResilience))
        try chip.tapAgain()
        return chip
    }

    @Test("LRP is recognized by the first message of AN12321, 4")
    func published() throws {
        var conversation = NTAG424Conversation()
        _ = try conversation.authenticate(
            .three, factoryKey, random: bytes("74D7DF6A2CEC0B72B412DE0D2B1117E6"))
        #expect(throws: NTAG424Error(.lrpMode)) {
            _ = try conversation.receive(bytes("0156109A31977C855319CD4618C9D2AED291AF"))
        }
        // Nothing else of that length is taken for it.
        for other in ["00", "02", "FF"] {
            var conversation = NTAG424Conversation()
            _ = try conversation.authenticate(.three, factoryKey, random: [UInt8](0..<16))
            #expect(throws: NTAG424Error(.malformed)) {
                _ = try conversation.receive(bytes(other + "56109A31977C855319CD4618C9D2AED291AF"))
            }
        }
    }

    @Test("A chip switched to LRP is recognized at each tap, without counting a wrong key")
    func untried() throws {
        var chip = try switched()
        for _ in 0..<3 {
            #expect(throws: NTAG424Error(.lrpMode)) { try chip.authenticate(.three) }
            try chip.tapAgain()
            #expect(chip.memory.keys.allSatisfy { $0.failures == 0 })
        }
        #expect(try chip.run(.getKeyVersion(.three)) == [0])
    }

    /// tapcard must never send this: like a real chip, the simulated one counts it.
    @Test("A chip switched to LRP counts a proof of the usual protocol as a wrong key")
    func guessed() throws {
        var chip = try switched()
        #expect(chip.status(.authenticateFirst(.three)) == 0x91AF)
        #expect(chip.status(.more([UInt8](repeating: 1, count: 32))) == 0x91AE)
        #expect(chip.memory[.three].failures == 1)
    }

    @Test("The switch to LRP survives a power cycle and is a line of the chip's text")
    func lasting() throws {
        let chip = try switched()
        #expect(chip.memory.text.contains("\nprotocol: lrp\n"))
        #expect(NTAG424Memory(parsing: chip.memory.text) == chip.memory)
        for other in ["aes", "LRP", ""] {
            let text = chip.memory.text.replacing("protocol: lrp", with: "protocol: \(other)")
            #expect(NTAG424Memory(parsing: text) == nil, "\(other)")
        }
        #expect(!PlayedNTAG424().memory.text.contains("protocol"))
    }
}
