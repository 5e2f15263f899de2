package import Tags
import TapcardDomain

/// The file that phones read: a single address, into which the chip writes its identity, the
/// encrypted grant, and a MAC.
///
/// `https://HOST/c?p=<32 digits>&d=<64 digits>&m=<16 digits>`. The grant is stored in the first
/// half of the digits of `d`, from which the chip takes the data to encrypt. Phones read only the
/// encrypted digits.
package struct AddressFile: Hashable, Sendable {
    /// The maximum length of the file, in bytes. A file of this length fits in one protected
    /// response from the chip.
    package static let maximumByteCount = 224
    /// The number of bytes in the message's length field.
    package static let lengthByteCount = 2
    /// The file for an issuer without a customer page. Its host name is guaranteed not to exist
    /// (RFC 2606).
    package static let placeholder: AddressFile = {
        guard let file = try? AddressFile(page: "https://\(placeholderHost)/c") else {
            preconditionFailure("this address fits on a chip")
        }
        return file
    }()

    /// The host name in `placeholder`.
    package static let placeholderHost = "tapcard.invalid"

    /// The offsets of the values of `p`, `d`, and `m` in the file.
    package let identityAt: Int
    package let grantAt: Int
    package let codeAt: Int
    /// The file, with zeros in place of all values.
    private let template: [UInt8]
    private let keepsAddress: Bool

    private static let scheme = "https://"
    /// Pages on this machine, for trials without hardware. Nothing is sent over a network, so such
    /// a page needs no certificate.
    private static let localPrefixes = ["http://127.0.0.1:", "http://localhost:"]
    private static let (identityName, dataName, codeName) = ("?p=", "&d=", "&m=")

    /// The file for the page at this address, such as `https://cards.example.org/c`. The address
    /// must not have a query.
    package init(page: String) throws(AddressError) {
        let start = ([AddressFile.scheme] + AddressFile.localPrefixes)
            .first { page.hasPrefix($0) }
        let rest = page.utf8.dropFirst(start?.utf8.count ?? 0)
        guard start != nil, let first = rest.first,
            // `?` and `#` are refused, because the values form the query. The host must not be
            // empty.
            AddressFile.isPlain(first), first != UInt8(ascii: "/"),
            rest.allSatisfy(AddressFile.isPlain)
        else {
            throw AddressError(
                "the address must start with https://, have a host, and contain no query or "
                    + "special characters")
        }
        // The chip writes two ASCII digits per byte over these zeros (SDM, ASCII encoding).
        func digits(_ count: Int) -> String { String(repeating: "0", count: 2 * count) }
        let identity = AddressFile.identityName + digits(TapIdentity.encryptedSize)
        let data = AddressFile.dataName + digits(TapMessage.dataSize)
        let code = AddressFile.codeName + digits(TapKeys.codeSize)
        let message = try translating(
            NDEFMessage([NDEFURI(page + identity + data + code).record]).encoded()
        ) { (_: NDEFError) in AddressError("the address is too long for the chip") }
        let used = AddressFile.lengthByteCount + message.count
        guard used <= AddressFile.maximumByteCount else {
            let excess = used - AddressFile.maximumByteCount
            throw AddressError(
                "the address is \(excess) \(excess == 1 ? "character" : "characters") too long for "
                    + "the chip")
        }
        template = FixedNumber.bytes(message.count, count: AddressFile.lengthByteCount) + message
        // The values are at the end of the file, so their positions follow from its length, and
        // even a station with a different address can find the grant.
        keepsAddress = false
        codeAt = used - 2 * TapKeys.codeSize
        grantAt = used - AddressFile.byteCountFromGrant
        identityAt = grantAt - AddressFile.dataName.utf8.count - 2 * TapIdentity.encryptedSize
    }

    /// The file for a card whose address is kept; only the grant is written.
    package init(keepingWith grantAt: Int) {
        self.grantAt = grantAt
        identityAt = grantAt - AddressFile.dataName.utf8.count - 2 * TapIdentity.encryptedSize
        let used = grantAt + AddressFile.byteCountFromGrant
        codeAt = used - 2 * TapKeys.codeSize
        template = [UInt8](repeating: 0, count: used)
        keepsAddress = true
    }

    /// The offset of the grant in a file with a different address, computed from the length field
    /// at the start of the file. `nil` if no file of ours can have that length.
    package static func grantAt(length bytes: [UInt8]) -> Int? {
        // Checked before the number is read, because an emulator can return any number of bytes.
        guard bytes.count == lengthByteCount else { return nil }
        let used = lengthByteCount + Int(FixedNumber.value(bytes[...]))
        let offset = used - byteCountFromGrant
        // A random length, or the length of an unrelated message, could lead to an offset before
        // the start of the file or past its end.
        return used <= maximumByteCount && offset > lengthByteCount ? offset : nil
    }

    /// Whether a chip has written 48 digits into one of our files, as a chip in LRP mode does,
    /// overwriting the name that follows. In AES mode, a chip writes 32 digits.
    static func showsLRP(_ file: [UInt8]) -> Bool {
        let count = 2 * TapIdentity.encryptedSize
        let longer = 3 * TapIdentity.encryptedSize
        guard let offset = grantAt(length: Array(file.prefix(lengthByteCount))) else {
            return false
        }
        let start = offset - dataName.utf8.count - count
        let name = start - identityName.utf8.count
        guard name > lengthByteCount, file.count >= start + longer else { return false }
        return file[name..<start].elementsEqual(identityName.utf8)
            && file[start..<(start + longer)].allSatisfy(isDigit)
    }

    /// The values that a chip has written into one of our files; `nil` for any other file.
    static func tapMessage(in file: [UInt8]) -> TapMessage? {
        guard let offset = grantAt(length: Array(file.prefix(lengthByteCount))) else { return nil }
        let known = AddressFile(keepingWith: offset)
        // In a short file that is not ours, `p` would start before the file does.
        guard known.identityAt >= lengthByteCount else { return nil }
        // A file that is too short yields too few digits, which `TapMessage` refuses.
        func digits(_ start: Int, _ count: Int) -> String {
            String(decoding: file.dropFirst(start).prefix(2 * count), as: UTF8.self)
        }
        return try? TapMessage(
            identity: digits(known.identityAt, TapIdentity.encryptedSize),
            data: digits(offset, TapMessage.dataSize),
            code: digits(known.codeAt, TapKeys.codeSize))
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"): true
        default: false
        }
    }

    /// The number of bytes from the grant to the end of the file, which is the same for every
    /// address.
    private static let byteCountFromGrant =
        2 * TapMessage.dataSize + codeName.utf8.count + 2 * TapKeys.codeSize

    package var byteCount: Int { template.count }

    /// The bytes of the file, including this sealed grant.
    package func bytes(grant: [UInt8]) -> [UInt8] {
        precondition(grant.count == Grant.byteCount, "a grant has \(Grant.byteCount) bytes")
        var bytes = template
        bytes.replaceSubrange(grantRange, with: grant)
        return bytes
    }

    /// The ranges that are written one at a time, each short enough for one block. The grant is one
    /// of these ranges, so it is either old or new, never a mix.
    var pieces: [Range<Int>] {
        // The chip executes a single-block write completely or not at all; a write in several
        // blocks could be torn.
        func cut(_ whole: Range<Int>) -> [Range<Int>] {
            stride(from: whole.lowerBound, to: whole.upperBound, by: AddressFile.maximumWrite)
                .map { $0..<min($0 + AddressFile.maximumWrite, whole.upperBound) }
        }
        // Here, the rest of the template is all zeros, and writing it would erase the card's
        // address.
        if keepsAddress { return [grantRange] }
        return cut(0..<grantAt) + [grantRange] + cut(grantRange.upperBound..<byteCount)
    }

    /// The maximum number of data bytes for which a write with its MAC fits in a 64-byte block.
    private static let maximumWrite = 40

    private var grantRange: Range<Int> { grantAt..<(grantAt + Grant.byteCount) }

    /// The settings of the file. Anyone can read it, with the values filled in. Writing to it, or
    /// reading it with a MAC, requires the load key. Writes have a MAC but are not encrypted: an
    /// encrypted grant would not fit in one block, and anyone nearby can read the grant anyway.
    package var settings: FileSettings {
        FileSettings(
            mode: AddressFile.mode, rights: AddressFile.rights,
            mirror: MirrorSettings(
                identity: .encrypted(with: .one, at: identityAt),
                proof: .init(
                    // The MAC covers everything from the first digit of `p` up to the MAC itself.
                    key: .two, from: identityAt, at: codeAt,
                    data: grantAt..<(grantAt + 2 * TapMessage.dataSize))))
    }

    private static let mode = CommunicationMode.authenticated
    private static let rights = AccessRights(
        read: .free, write: .key(.four), readWrite: .key(.four), change: .key(.application))

    /// Whether a station can use a card whose file has these settings. The positions of mirrored
    /// values are not compared, because they depend on the card's address.
    static func fitsCard(_ settings: FileSettings, _ file: FileNumber) -> Bool {
        switch file {
        case .data: settings == slotSettings
        case .ndef: settings.mode == mode && settings.rights == rights
        // tapcard neither reads nor writes this file.
        case .capability: true
        }
    }

    /// The settings of the file that holds the slots. Reading or writing it requires the sell key.
    package static let slotSettings = FileSettings(
        mode: .full,
        rights: AccessRights(
            read: .key(.three), write: .key(.three), readWrite: .key(.three),
            change: .key(.application)))

    /// Whether the byte is a letter, a digit, or punctuation that is allowed in a host or a path.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: Array("-._~/:".utf8).contains(byte)
        }
    }
}

/// Why an address cannot be used for a card's page.
package struct AddressError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
