package import Tags

/// The chip's response to a search for type A tags.
package struct TagList: Equatable {
    /// The maximum number of tags that the chip can handle.
    package static let maximumTags = 2

    package let tags: [TagIdentity]

    /// Parses the chip's response. A PN531 returns the two bytes of the ATQA in reverse order and
    /// leaves the cascade tags in a longer UID.
    package init(_ answer: [UInt8], swapsBytes: Bool = false) throws(ReaderError) {
        var rest = answer[...]
        func next(_ count: Int) throws(ReaderError) -> ArraySlice<UInt8> {
            guard rest.count >= count else {
                throw ReaderError(.garbled, "the list of tags is incomplete")
            }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        let count = Int(try next(1).first ?? 0)
        guard count <= Self.maximumTags else {
            throw ReaderError(
                .garbled, "the list claims \(count) tags, but \(Self.maximumTags) is the maximum")
        }
        var tags: [TagIdentity] = []
        for number in 0..<count {
            let head = Array(try next(5))
            // Every field is checked, because a malicious reader may send any number or length.
            guard head[0] == number + 1 else {
                throw ReaderError(
                    .garbled,
                    "the answer has tag number \(head[0]) where \(number + 1) was expected")
            }
            let uid = Self.withoutCascadeTags(Array(try next(Int(head[4]))))
            guard [4, 7, 10].contains(uid.count) else {
                throw ReaderError(.garbled, "the UID has \(uid.count) bytes")
            }
            let (high, low) = swapsBytes ? (head[2], head[1]) : (head[1], head[2])
            tags.append(
                TagIdentity(
                    uid: uid, answerToRequest: UInt16(high) << 8 | UInt16(low),
                    selectAcknowledge: head[3]))
            // A chip that activates ISO/IEC 14443-4 on its own appends the tag's ATS. Its length
            // includes the length byte itself.
            if head[3] & 0x20 != 0, let length = rest.first, count == 1 {
                _ = try next(max(1, Int(length)))
            }
        }
        guard rest.isEmpty else {
            throw ReaderError(
                .garbled,
                "the list of tags is followed by \(rest.count) extra "
                    + (rest.count == 1 ? "byte" : "bytes"))
        }
        self.tags = tags
    }

    private static func withoutCascadeTags(_ uid: [UInt8]) -> [UInt8] {
        let cascadeTag: UInt8 = 0x88
        if uid.count == 8, uid[0] == cascadeTag { return Array(uid[1...]) }
        if uid.count == 12, uid[0] == cascadeTag, uid[4] == cascadeTag {
            return Array(uid[1...3] + uid[5...])
        }
        return uid
    }
}
