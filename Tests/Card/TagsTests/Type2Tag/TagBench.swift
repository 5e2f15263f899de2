import Tags
import Testing

/// A simulated tag whose memory and power are under the test's control.
struct TagBench {
    static let uid: [UInt8] = [0x04, 0xAC, 0x6B, 0x72, 0xBA, 0x6C, 0x80]
    static let factoryPassword: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
    static let refused = TagReply.nak(NAK.invalidArgument)

    var memory: TagMemory
    var side = TagSide()

    /// A factory tag, powered and selected.
    init(_ chip: Type2Chip) throws {
        self.init(try #require(TagMemory.blank(chip, uid: TagBench.uid)))
    }

    init(_ memory: TagMemory) {
        self.memory = memory
        powerCycle()
    }

    mutating func powerCycle() {
        side.powerDown()
        side.powerUp(memory)
        select()
    }

    @discardableResult
    mutating func select() -> TagIdentity? { side.select(memory) }

    mutating func send(_ command: Type2Command) -> TagReply {
        side.answer(command.frame, &memory)
    }

    mutating func sendAfterSelecting(_ command: Type2Command) -> TagReply {
        select()
        return send(command)
    }

    /// Writes AUTH0 and the ACCESS byte, and cycles the power so that they take effect.
    mutating func configure(from firstProtected: UInt8 = 0xFF, access: UInt8) throws {
        let page = try #require(memory.chip.configurationPage)
        #expect(send(.write(page + 1, Page(access, 0x05, 0, 0))) == .ack)
        #expect(send(.write(page, Page(0x04, 0, 0, firstProtected))) == .ack)
        powerCycle()
    }

    mutating func authenticate(_ password: [UInt8] = factoryPassword) -> TagReply {
        send(.authenticate(password))
    }
}

extension Type2Command {
    /// The second frame of a COMPATIBILITY_WRITE.
    static func compatibilityData(_ page: Page) -> [UInt8] {
        page.bytes + [UInt8](repeating: 0, count: 12)
    }
}
