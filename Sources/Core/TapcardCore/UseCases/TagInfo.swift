import CardCryptography
import Cards
public import Tags
import TapcardDomain

/// Information about a tag, whether or not it is a card.
public struct TagInfo: Sendable, Hashable {
    /// The result of checking the manufacturer's signature. The signature proves who made the chip,
    /// but not that the card is the original.
    public enum Originality: String, Sendable, CaseIterable {
        /// `none` means that the signature consists of zeros, as on chips from some manufacturers,
        /// or that the chip did not return a signature.
        case valid, invalid, none
        /// The chip was not asked, because its model is not known to have a signature.
        case notAsked = "not-asked"

        init(_ signature: [UInt8]?, of uid: CardUID, on chip: Chip? = nil) {
            self.init(signature, of: uid.bytes, by: chip == .ntag424 ? [.ntag424] : [.ntag21x])
        }

        /// The signature is valid if it belongs to one of these families.
        init(
            _ signature: [UInt8]?, of uid: [UInt8],
            by families: [CardCryptography.Originality.Family]
        ) {
            let isGenuine = signature.flatMap { signature in
                signature.allSatisfy { $0 == 0 }
                    ? nil
                    : families.contains {
                        CardCryptography.Originality.verify(
                            uid: uid, signature: signature, of: $0)
                    }
            }
            self.init(isGenuine: isGenuine)
        }

        /// Converts the ledger's value.
        public init(isGenuine: Bool?) {
            self = isGenuine.map { $0 ? .valid : .invalid } ?? .none
        }

        var isGenuine: Bool? {
            switch self {
            case .valid: true
            case .invalid: false
            case .none, .notAsked: nil
            }
        }
    }

    /// The tag's number: 4, 7, or 10 bytes.
    public let uid: [UInt8]
    /// The name of the chip, or of the kind of tag.
    public let chip: String
    /// The chip's maker according to the UID; nil if the UID does not identify it.
    public let maker: String?
    /// The chip's pages; nil for a chip that has files or sectors instead.
    public internal(set) var pages: Type2Chip?
    /// The number of bytes available to users. For a tag that cannot be read, the size of its
    /// memory, or 0 if that is not known.
    public let userByteCount: Int
    /// The versions of the chip's keys, starting with key 0; empty for a chip with pages.
    public internal(set) var keyVersions: [UInt8] = []
    /// The response to GET_VERSION; nil for a tag that does not support this command.
    public internal(set) var version: [UInt8]?
    /// The result of checking the manufacturer's signature.
    public internal(set) var originality = Originality.notAsked
    /// The kind of content on the tag, as a word in JSON.
    public let ndef: String
    /// How many bytes longer the message on the tag could be.
    public internal(set) var freeBytes = 0
    /// Whether some pages of the tag can never be written to again.
    public internal(set) var isLocked = false
    /// The static lock bytes, followed by the dynamic ones; empty for a chip without pages.
    public internal(set) var lockBytes: [UInt8] = []
    /// Whether writing to the tag requires a password or a key. False if the tag does not report
    /// this.
    public internal(set) var isProtected = false
    /// Whether reading some of the content requires a password or a key.
    public internal(set) var isHidden = false
    /// The chip's settings; nil if it has none, or if they cannot be read.
    public internal(set) var configuration: AccessConfiguration?
    /// The number of reads since the counter was turned on; nil if it is off.
    public internal(set) var counter: UInt32?
    /// The values of all counters that can be read, starting with the first.
    public internal(set) var counters: [UInt32] = []
    /// What a chip with keys reports about itself as a card; nil for any other chip.
    package internal(set) var ntag424Card: NTAG424CardInfo?
    /// Whether tapcard can read tags of this kind.
    package let isReadableKind: Bool
    /// Whether the chip may have a password that it does not report.
    package internal(set) var mayHavePassword = false

    init(_ identity: TagIdentity, chip: String, _ content: TagContent, userByteCount: Int) {
        uid = identity.uid
        maker = identity.maker
        (self.chip, self.userByteCount, ndef) = (chip, userByteCount, content.word)
        isReadableKind = identity.isType2 || identity.usesBlocks
    }
}

/// What a chip with keys reports about itself as a card. Nothing here is verified; only a tap
/// verifies a card.
package struct NTAG424CardInfo: Sendable, Hashable {
    /// The ID of this station's key that matches the chip's key versions; nil if none matches.
    package let issuerKey: UInt8?
    /// Whether that key is retired here.
    package let isRetired: Bool
    /// Whether the chip's keys have different versions, because making the card or changing its
    /// keys was interrupted.
    package let isPartlyMade: Bool
    /// The host of the page that phones open when they read the card; nil if there is none.
    package let host: String?
    /// Whether someone permanently switched the chip to its other protocol (LRP). This is detected
    /// only on a card with one of our addresses.
    package let usesLRP: Bool
}
