package import Tags

/// The WRITEs that put a message on a Type 2 tag. A tag that is pulled away between them, or during
/// one, holds the old message, no message, or the new one.
///
/// The message is emptied first: its length becomes zero. The length is set last. These two WRITEs
/// change nothing but the length, because an interrupted WRITE may leave any mixture of old and new
/// bits in its page.
package struct MessagePlan: Hashable, Sendable {
    /// The WRITEs for everything except the length of the message. They are read back before the
    /// length is set.
    package let preparation: [PageWrite]
    /// The WRITE that sets the length; empty if the tag already holds the message.
    package let completion: [PageWrite]
    /// The position of the message's first byte, counted from the start of page 0.
    package let start: Int

    /// Plans a message for a tag whose data area starts at `firstPage` and holds `area`. Uses no
    /// bytes beyond `area`.
    package init(
        _ message: [UInt8], on area: [UInt8], firstPage: UInt8 = 4
    ) throws(MessageTooLong) {
        let old = MessagePlan.message(on: area)
        let offset = MessagePlan.offset(on: area)
        let room = area.count - offset
        let block = TLVArea.encoded(message: message)
        // If there is no room for the terminator, it is left out (NFC Forum Type 2).
        guard block.count - 1 <= room else {
            throw MessageTooLong(
                byteCount: message.count, maximum: MessagePlan.maximumByteCount(in: room))
        }
        var target = area
        target.replaceSubrange(offset..<offset + min(block.count, room), with: block.prefix(room))
        var draft = Draft(area: area, firstPage: firstPage)
        let length = offset + 1
        start = Int(firstPage) * Page.size + offset + block.count - 1 - message.count
        guard target != area else {
            (preparation, completion) = ([], [])
            return
        }
        // The old message disappears before any of its bytes change.
        if let old { draft.set(old.offset + 1, to: 0) }
        // The new message stays empty while its bytes are written.
        var emptied = target
        emptied[length] = 0
        let isEmpty = old.map { [[], MessagePlan.empty].contains($0.value) } ?? false
        if old?.offset != offset || isEmpty {
            // Until they are complete, a terminator hides the bytes that follow.
            var hidden = draft.area
            hidden.replaceSubrange(offset..<offset + 2, with: [0x03, 0x00])
            if hidden.indices.contains(offset + 2) { hidden[offset + 2] = TLVArea.terminator }
            draft.write(pageAt: offset + 2, of: hidden)
            draft.write(pageAt: length, of: hidden)
        }
        // The page with that terminator is written last.
        for page in stride(from: 0, to: area.count, by: Page.size).reversed()
        where page != length / Page.size * Page.size {
            draft.write(pageAt: page, of: emptied)
        }
        draft.write(pageAt: length, of: emptied)
        preparation = draft.writes
        draft.writes = []
        draft.write(pageAt: length, of: target)
        completion = draft.writes
    }

    /// Returns the WRITE that removes the message from this data area; empty if it has none.
    package static func removal(on area: [UInt8], firstPage: UInt8 = 4) -> [PageWrite] {
        var draft = Draft(area: area, firstPage: firstPage)
        if let old = message(on: area) { draft.set(old.offset + 1, to: 0) }
        return draft.writes
    }

    /// Whether a data area holds this message and nothing else, or what an interrupted write of the
    /// message to an empty tag leaves. The bytes in `mirrored` are not compared, because the chip
    /// shows other bytes in their place.
    package static func isWholeOrTorn(
        _ bytes: [UInt8], on area: [UInt8], mirrored: Range<Int> = 0..<0
    ) -> Bool {
        if message(on: area)?.value == bytes, !TLVArea.holdsOtherData(area) { return true }
        let controls = TLVArea.leadingBlocks(of: area).prefix {
            $0.kind == .lockControl || $0.kind == .memoryControl
        }
        return ([0] + controls.map { $0.valueOffset + $0.value.count }).contains { offset in
            let block = TLVArea.encoded(message: bytes).prefix(area.count - offset)
            // An interrupted write may leave any bytes in the pages before this offset, which hold
            // the length and the first terminator.
            let next = min((offset + 2) / Page.size * Page.size + Page.size, area.count)
            let isWritten = (next..<max(next, offset + block.count)).allSatisfy {
                mirrored.contains($0) || area[$0] == block[$0 - offset]
            }
            // An earlier WRITE was interrupted, so only some bits of an empty message are set.
            let isBlank =
                area[next...].first { $0 != 0 } ?? TLVArea.terminator == TLVArea.terminator
                && (offset..<next).allSatisfy { index in
                    let first =
                        [0x03, 0x03, TLVArea.terminator] + block.dropFirst(3) + [0, 0, 0, 0]
                    return area[index] & ~first[index - offset] == 0
                }
            return block.count > next - offset + 1 && isWritten || isBlank
        }
    }

    /// A message with one empty record, which phones write to erase a tag.
    private static let empty: [UInt8] = [0xD0, 0x00, 0x00]

    /// Returns the message in a data area; nil if phones would find none.
    package static func message(on area: [UInt8]) -> TLV? {
        TLVArea.leadingBlocks(of: area).last.flatMap { $0.kind == .message ? $0 : nil }
    }

    /// Returns the offset at which to write a new message in a data area.
    ///
    /// Keeps lock control and memory control blocks before the message, because they mark bytes
    /// that the message must not use. Overwrites anything else, because some phones stop there.
    package static func offset(on area: [UInt8]) -> Int {
        let blocks = TLVArea.leadingBlocks(of: area)
        let isKept = blocks.dropLast().allSatisfy {
            $0.kind == .lockControl || $0.kind == .memoryControl
        }
        return isKept ? message(on: area)?.offset ?? 0 : 0
    }

    /// Returns the length of the longest message that fits in a data area.
    package static func maximumByteCount(on area: [UInt8]) -> Int {
        maximumByteCount(in: area.count - offset(on: area))
    }

    /// Returns the length of the longest message that fits in this many bytes.
    package static func maximumByteCount(in room: Int) -> Int {
        // A length of up to 254 takes one byte, and any other takes three.
        let short = min(room - 2, TLV.longLengthMark - 1)
        return max(0, max(short, room - 4))
    }

    /// The state of the tag's memory after the WRITEs so far.
    private struct Draft {
        var area: [UInt8]
        let firstPage: UInt8
        var writes: [PageWrite] = []

        /// Writes the page that contains this byte, if it would change.
        mutating func write(pageAt index: Int, of target: [UInt8]) {
            let range = index / Page.size * Page.size..<(index / Page.size + 1) * Page.size
            guard area[range] != target[range], let content = Page(target[range]),
                let page = UInt8(exactly: Int(firstPage) + index / Page.size)
            else { return }
            area.replaceSubrange(range, with: target[range])
            writes.append(PageWrite(page, content))
        }

        mutating func set(_ index: Int, to byte: UInt8) {
            var target = area
            target[index] = byte
            write(pageAt: index, of: target)
        }
    }
}

/// A message is longer than the tag's free memory.
package struct MessageTooLong: Error, Hashable, Sendable {
    package let byteCount: Int
    package let maximum: Int

    package init(byteCount: Int, maximum: Int) {
        (self.byteCount, self.maximum) = (byteCount, maximum)
    }
}
