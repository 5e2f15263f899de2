import LibNFCReader
import Tags
import Testing

@Suite("Tag lists of a PN53x chip")
struct TagListTests {
    private static let uid: [UInt8] = [0x04, 0xAC, 0x6B, 0x72, 0xBA, 0x6C, 0x80]
    private static let classic: [UInt8] = [0x9A, 0x3C, 0x51, 0x7E]
    private static let one: [UInt8] = [1, 1, 0x00, 0x44, 0x00, 7] + uid
    private static let two: [UInt8] =
        [2] + one.dropFirst() + [2, 0x00, 0x04, 0x08, 4] + classic

    @Test("An empty list has no tags")
    func none() throws {
        #expect(try TagList([0]).tags.isEmpty)
    }

    @Test("A list of one tag gives its identity")
    func oneTag() throws {
        #expect(try TagList(Self.one).tags == [TagIdentity(uid: Self.uid)])
    }

    @Test("A list of two tags of different kinds gives both identities")
    func twoTags() throws {
        let tags = try TagList(Self.two).tags
        #expect(
            tags == [
                TagIdentity(uid: Self.uid),
                TagIdentity(uid: Self.classic, answerToRequest: 0x0004, selectAcknowledge: 0x08),
            ])
    }

    @Test("A list that ends too early is garbled", arguments: 0..<two.count)
    func truncated(length: Int) {
        #expect(throws: ReaderError(.garbled)) { try TagList(Array(Self.two.prefix(length))) }
    }

    @Test(
        "A list with impossible contents is garbled",
        arguments: [
            one + [0], [3] + two.dropFirst(), [0, 0], [1, 2] + one.dropFirst(2),
            [1, 1, 0, 0x44, 0, 5, 1, 2, 3, 4, 5], [1, 1, 0, 0x44, 0, 0],
            [1, 1, 0, 0x44, 0, 255] + [UInt8](repeating: 1, count: 255),
        ] as [[UInt8]])
    func impossible(answer: [UInt8]) {
        #expect(throws: ReaderError(.garbled)) { try TagList(answer) }
    }

    /// libnfc's own decoder subtracts one from this length and copies that many bytes, so a length
    /// of zero, which a tag may send, kills the process.
    @Test(
        "The answer to select in an ISO/IEC 14443-4 tag's entry is skipped, but must fit",
        arguments: [([6, 0x75, 0x77, 0x81, 0x02, 0x80], true), ([0], true), ([7, 1], false)]
            as [([UInt8], Bool)])
    func answerToSelect(tail: [UInt8], isWhole: Bool) throws {
        let answer: [UInt8] = [1, 1, 0x03, 0x44, 0x20, 7] + Self.uid + tail
        guard isWhole else {
            #expect(throws: ReaderError(.garbled)) { try TagList(answer) }
            return
        }
        let tag = try #require(try TagList(answer).tags.first)
        #expect(tag.uid == Self.uid && tag.answerToRequest == 0x0344 && !tag.isType2)
    }

    @Test("The PN531's swapped bytes and the cascade tags in its UIDs are corrected")
    func oldChip() throws {
        let uid: [UInt8] = [0x88] + Self.uid
        let tag = TagIdentity(uid: Self.uid)
        #expect(try TagList([1, 1, 0x44, 0, 0, 8] + uid, swapsBytes: true).tags == [tag])
        let ten: [UInt8] = [0x88, 1, 2, 3, 0x88, 4, 5, 6, 7, 8, 9, 10]
        #expect(
            try TagList([1, 1, 0x44, 0, 0, 12] + ten, swapsBytes: true).tags.first?.uid
                == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    }
}
