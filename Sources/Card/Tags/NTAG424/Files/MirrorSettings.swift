/// The settings for the values that the chip mirrors into the NDEF file when the file is read
/// without authentication (SDM).
package struct MirrorSettings: Hashable, Sendable {
    /// How the UID and the read count are mirrored.
    package enum Identity: Hashable, Sendable {
        case hidden
        /// In clear text, each at its own offset; `nil` for a value that is not mirrored.
        case plain(uid: Int?, reads: Int?)
        /// Both together, encrypted with this key, as 32 digits starting at this offset.
        case encrypted(with: KeyNumber, at: Int)
    }

    /// The MAC over part of the file, and the data that is encrypted under the same key.
    package struct Proof: Hashable, Sendable {
        package let key: KeyNumber
        /// The offset at which the part that the MAC covers begins. It ends where the MAC begins.
        package let from: Int
        /// The offset at which the 16 digits of the MAC begin.
        package let at: Int
        /// The range of the digits for the encrypted data. The plain data is stored in the first
        /// half of that range.
        package let data: Range<Int>?

        package init(key: KeyNumber, from: Int, at: Int, data: Range<Int>? = nil) {
            (self.key, self.from, self.at, self.data) = (key, from, at, data)
        }
    }

    package let identity: Identity
    package let proof: Proof?
    /// Who may request the read count.
    package let countAccess: AccessCondition
    /// The read count at which the file can no longer be read without authentication.
    package let readLimit: UInt32?

    package init(
        identity: Identity, proof: Proof?, countAccess: AccessCondition = .never,
        readLimit: UInt32? = nil
    ) {
        (self.identity, self.proof) = (identity, proof)
        (self.countAccess, self.readLimit) = (countAccess, readLimit)
    }

    private enum Option {
        static let uid: UInt8 = 0x80
        static let reads: UInt8 = 0x40
        static let limit: UInt8 = 0x20
        static let data: UInt8 = 0x10
        /// Values are mirrored as ASCII digits, the only form that the chip supports.
        static let ascii: UInt8 = 0x01
        static let known = uid | reads | limit | data | ascii
    }

    private static let plainNibble: UInt8 = 0xE
    private static let noNibble: UInt8 = 0xF

    /// `nil` for settings that `bytes` would not produce, or that the chip does not accept.
    init?(_ reader: inout SettingsReader) {
        guard let options = reader.byte(), let low = reader.byte(), let high = reader.byte(),
            options & Option.ascii != 0, options & ~Option.known == 0, low >> 4 == 0xF,
            let countAccess = AccessCondition(nibble: low & 0x0F)
        else { return nil }
        self.countAccess = countAccess
        let (uid, reads) = (options & Option.uid != 0, options & Option.reads != 0)
        // The high nibble specifies the key for the identity, and the low nibble the key for the
        // MAC and the data.
        switch high >> 4 {
        case MirrorSettings.plainNibble:
            let uidAt = uid ? reader.offset() : nil
            let readsAt = reads ? reader.offset() : nil
            guard uid == (uidAt != nil), reads == (readsAt != nil), uid || reads else { return nil }
            identity = .plain(uid: uidAt, reads: readsAt)
        case MirrorSettings.noNibble:
            guard !uid, !reads else { return nil }
            identity = .hidden
        case let nibble:
            // tapcard does not support an encrypted identity that lacks the UID or the count.
            guard let key = KeyNumber(rawValue: nibble), uid, reads, let at = reader.offset()
            else { return nil }
            identity = .encrypted(with: key, at: at)
        }
        let hasData = options & Option.data != 0
        if high & 0x0F == MirrorSettings.noNibble {
            // Without a MAC, there is no key to encrypt the data with.
            guard !hasData else { return nil }
            proof = nil
        } else {
            guard let key = KeyNumber(rawValue: high & 0x0F), let from = reader.offset() else {
                return nil
            }
            var data: Range<Int>?
            if hasData {
                guard let start = reader.offset(), let count = reader.offset() else { return nil }
                data = start..<(start + count)
            }
            guard let at = reader.offset() else { return nil }
            proof = Proof(key: key, from: from, at: at, data: data)
        }
        guard options & Option.limit != 0 else {
            readLimit = nil
            return
        }
        // Without the count, there is nothing to limit.
        guard reads, let limit = reader.offset() else { return nil }
        readLimit = UInt32(limit)
    }

    var bytes: [UInt8] {
        var options = Option.ascii
        var identityNibble = MirrorSettings.noNibble
        // The offsets are in the order that the data sheet specifies: UID and count, or both
        // encrypted; the start of the part that the MAC covers; the data; the MAC; the limit.
        var offsets: [Int] = []
        switch identity {
        case .hidden: break
        case .plain(let uid, let reads):
            identityNibble = MirrorSettings.plainNibble
            if uid != nil { options |= Option.uid }
            if reads != nil { options |= Option.reads }
            offsets += [uid, reads].compactMap(\.self)
        case .encrypted(let key, let at):
            identityNibble = key.rawValue
            options |= Option.uid | Option.reads
            offsets.append(at)
        }
        if let proof {
            offsets.append(proof.from)
            if let data = proof.data {
                options |= Option.data
                offsets += [data.lowerBound, data.count]
            }
            offsets.append(proof.at)
        }
        if let readLimit {
            options |= Option.limit
            offsets.append(Int(readLimit))
        }
        let proofNibble = proof?.key.rawValue ?? MirrorSettings.noNibble
        // The high nibble of the second byte is reserved, and all its bits must be 1.
        return [options, 0xF0 | countAccess.nibble, identityNibble << 4 | proofNibble]
            + offsets.flatMap(SettingsReader.bytes)
    }
}

/// Reads settings byte by byte, so that the caller can check that every byte was used.
struct SettingsReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8? { rest.popFirst() }

    /// Three bytes, least significant first.
    mutating func offset() -> Int? {
        guard rest.count >= 3 else { return nil }
        defer { rest = rest.dropFirst(3) }
        return rest.prefix(3).reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    static func bytes(_ offset: Int) -> [UInt8] {
        (0..<3).map { UInt8(truncatingIfNeeded: offset >> (8 * $0)) }
    }
}
