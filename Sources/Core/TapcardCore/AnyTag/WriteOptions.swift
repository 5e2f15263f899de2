package import Cards
package import Tags

/// Options for writing a message to a tag.
package struct WriteOptions: Sendable, Hashable {
    /// Whether to replace other content on the tag. A card with a balance is never overwritten.
    package var overwrites = false
    /// The UIDs of tags on which an earlier write was interrupted. The content of these tags is
    /// replaced too.
    package var interruptedTags: Set<[UInt8]> = []
    /// Whether to make the tag read-only after writing the message. This cannot be undone.
    package var locks = false
    /// The tag's write password; with `protects`, the one to set if the tag has none.
    package var password: TagPassword?
    /// Whether to make the tag require the password for all later changes.
    package var protects = false
    /// What the chip fills into the message: its UID, its counter, or both. Nil for nothing.
    package var mirror: ASCIIMirror.Content?

    package init() {}
}

/// The result of writing a message to a tag.
package struct WrittenTag: Sendable, Hashable {
    package let uid: [UInt8]
    package let kind: String
    package let message: [UInt8]
    /// Whether the tag already held the message, so that it did not have to be written.
    package let wasThere: Bool
    package let isLocked: Bool
}
