import Cards
package import Tags

/// The message on a tag of any kind.
package struct TagReading: Sendable, Hashable {
    /// Where a tag keeps its message.
    package enum Format: String, Sendable, CaseIterable {
        /// A tag with pages, such as an NTAG213.
        case type2 = "type-2"
        /// A tag with files, such as an NTAG 424.
        case type4 = "type-4"
    }

    /// The tag's UID: 4, 7, or 10 bytes.
    package let uid: [UInt8]
    /// The name of the chip, or of the kind of tag.
    package let kind: String
    package let format: Format
    /// The bytes of the message; empty if there is none.
    package let message: [UInt8]
    /// The decoded records of the message.
    package let records: [RecordContent]
    /// Why the message cannot be decoded; nil if it can.
    package let problem: String?
    /// All data blocks except the message. A tag with files has none.
    package let otherBlocks: [TLV]
    /// Whether the tag holds data that is neither a message nor describes the tag's memory.
    package let holdsOtherData: Bool
    /// The length of the longest message that the tag can hold.
    package let maximumByteCount: Int
    /// Whether the tag reports that its message can be written.
    package let isWritable: Bool

    package init(
        _ identity: TagIdentity, kind: String, format: Format, message: [UInt8],
        otherBlocks: [TLV] = [], holdsOtherData: Bool = false, maximumByteCount: Int,
        isWritable: Bool
    ) {
        uid = identity.uid
        (self.kind, self.format, self.message) = (kind, format, message)
        (self.otherBlocks, self.holdsOtherData) = (otherBlocks, holdsOtherData)
        (self.maximumByteCount, self.isWritable) = (maximumByteCount, isWritable)
        guard !message.isEmpty else {
            (records, problem) = ([], nil)
            return
        }
        do throws(NDEFError) {
            let decoded = try NDEFMessage(decoding: message, .lenient).records
            records = decoded.map(RecordContent.init)
            problem = nil
        } catch {
            records = []
            problem = error.detail
        }
    }

    /// Decodes the message on a tag with pages.
    init(_ identity: TagIdentity, _ tag: ScannedTag, isLocked: Bool) {
        let area = tag.dataArea
        self.init(
            identity, kind: tag.kind, format: .type2,
            message: MessagePlan.message(on: area)?.value ?? [],
            otherBlocks: TLVArea.leadingBlocks(of: area).filter {
                $0.kind != .message && $0.kind != .null && $0.kind != .terminator
            },
            holdsOtherData: TLVArea.holdsOtherData(area),
            maximumByteCount: MessagePlan.maximumByteCount(on: area),
            isWritable: tag.hasNDEF && !isLocked && tag.capability[3] & 0x0F == 0)
    }

    /// How many bytes longer the message could be.
    package var freeByteCount: Int { max(0, maximumByteCount - message.count) }

    /// Whether the tag has no content that overwriting it would destroy.
    package var isEmpty: Bool { hasNoRecords && !holdsOtherData }

    /// Whether the tag has no message, or an empty one.
    package var hasNoRecords: Bool { problem == nil && records.allSatisfy { $0 == .empty } }
}
