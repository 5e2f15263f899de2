import Tags

extension Simulation {
    /// The bytes that a phone reads from a tag, without a key or password.
    package enum SeenByPhone: Hashable, Sendable {
        /// The message on an NTAG 424, and how many times it was read. The message is `nil` if the
        /// chip refuses the read; the count is `nil` if the chip does not reveal it.
        case message([UInt8]?, reads: UInt32?)
        /// The data area of an NTAG21x, starting at page 4.
        case area([UInt8])
    }

    /// The maximum number of bytes that a phone requests at once.
    private static let maximumReadLength = 59

    /// Returns what a phone reads from a tag, whether or not the tag is on the reader; `nil` if it
    /// is not in the drawer. The tag counts the read, as a real one would.
    package mutating func showToPhone(
        _ uid: [UInt8], random: (Int) -> [UInt8]
    ) -> SeenByPhone? {
        if var chip = chip(uid) {
            let message = Simulation.message(of: &chip, random: random)
            save(chip)
            let isCounting = chip[.ndef].settings.mirror != nil
            return .message(message, reads: isCounting ? chip.reads : nil)
        }
        guard var tag = tag(uid) else { return nil }
        let area = Simulation.area(of: &tag)
        save(tag)
        return .area(area)
    }

    /// Reads the message as phones do: first the capability file, then, in parts, the message's
    /// file. That file is selected only once, so that all parts contain the same count.
    private static func message(
        of chip: inout NTAG424Memory, random: (Int) -> [UInt8]
    ) -> [UInt8]? {
        var side = NTAG424Side()
        func send(_ command: CardCommand) -> [UInt8]? {
            let answer = side.answer(command.plain.bytes, &chip, random: random)
            guard let answer = ResponseAPDU(answer), answer.status == .isoDone else { return nil }
            return answer.data
        }
        func read(_ offset: Int, _ count: Int) -> [UInt8]? {
            send(.readBinary(nil, offset: offset, length: count))
        }
        let headCount = 2
        guard send(.selectApplication) != nil, send(.selectFile(.capability)) != nil,
            // A phone learns where the message is from the first 15 bytes of the capability
            // container; here, the location is already known.
            read(0, 15) != nil, send(.selectFile(.ndef)) != nil,
            let head = read(0, headCount), head.count == headCount
        else { return nil }
        let count = min(Int(head[0]) << 8 | Int(head[1]), FileNumber.ndef.size - headCount)
        var message: [UInt8] = []
        while message.count < count {
            let part = read(
                headCount + message.count, min(count - message.count, maximumReadLength))
            guard let part, !part.isEmpty else { return nil }
            message += part
        }
        return message
    }

    /// Reads four pages at a time, until the tag refuses a READ or the area ends.
    private static func area(of tag: inout TagMemory) -> [UInt8] {
        var side = TagSide()
        side.powerUp(tag)
        guard side.select(tag) != nil else { return [] }
        var area: [UInt8] = []
        let pages = tag.chip.userPages
        for page in stride(from: Int(pages.lowerBound), through: Int(pages.upperBound), by: 4) {
            guard
                case .data(let bytes) = side.answer(
                    Type2Command.read(UInt8(page)).frame, &tag)
            else { break }
            // A page has four bytes. The last READ may extend past the user pages.
            area += bytes.prefix((Int(pages.upperBound) - page + 1) * 4)
        }
        return area
    }
}
