package import Tags
import TapcardDomain

/// The file that phones read: one address, into which the chip writes who it is, the encrypted
/// grant and a code.
///
/// `https://HOST/c?p=<32 digits>&d=<64 digits>&m=<16 digits>`. The grant is in the first half of
/// the digits of `d`, where the chip finds it; phones never see it there.
package struct AddressFile: Hashable, Sendable {
    /// The longest file, in bytes: one protected answer of the chip carries it.
    package static let longest = 224
    /// The bytes that tell how long the message after them is.
    package static let lengthByteCount = 2
    /// The file of an issuer that has named no page. This name can never exist (RFC 2606).
    package static let nowhere: AddressFile = {
        guard let file = try? AddressFile(page: "https://\(noHost)/c") else {
            preconditionFailure("this address fits on a chip")
        }
        return file
    }()

    /// The name in that file.
    package static let noHost = "tapcard.invalid"

    /// The places in the file of the three values.
    package let identityAt: Int
    package let grantAt: Int
    package let codeAt: Int
    /// The file with digits in place of all values.
    private let template: [UInt8]
    private let keepsAddress: Bool

    private static let scheme = "https://"
    /// The beginnings of a page on the reader's own machine, for a try without hardware. What goes
    /// there leaves no machine, so it needs no certificate.
    private static let ofThisMachine = ["http://127.0.0.1:", "http://localhost:"]
    private static let (identityName, dataName, codeName) = ("?p=", "&d=", "&m=")

    /// The file for the page at this address, without a query: `https://cards.example.org/c`.
    package init(page: String) throws(AddressError) {
        let start = ([AddressFile.scheme] + AddressFile.ofThisMachine)
            .first { page.hasPrefix($0) }
        let rest = page.utf8.dropFirst(start?.utf8.count ?? 0)
        guard start != nil, let first = rest.first,
            AddressFile.isPlain(first), first != UInt8(ascii: "/"),
            rest.allSatisfy(AddressFile.isPlain)
        else {
            throw AddressError(
                "the address must start with https://, have a host, and contain no query or "
                    + "special characters")
        }
        func digits(_ count: Int) -> String { String(repeating: "0", count: 2 * count) }
        let identity = AddressFile.identityName + digits(TapIdentity.encryptedSize)
        let data = AddressFile.dataName + digits(TapMessage.dataSize)
        let code = AddressFile.codeName + digits(TapKeys.codeSize)
        let message = try translating(
            NDEFMessage([NDEFURI(page + identity + data + code).record]).encoded()
        ) { (_: NDEFError) in AddressError("the address is too long for the chip") }
        let used = AddressFile.lengthByteCount + message.count
        guard used <= AddressFile.longest else {
            let excess = used - AddressFile.longest
            throw AddressError(
                "the address is \(excess) \(excess == 1 ? "character" : "characters") too long for "
                    + "the chip")
        }
        template = FixedNumber.bytes(message.count, count: AddressFile.lengthByteCount) + message
        keepsAddress = false
        codeAt = used - 2 * TapKeys.codeSize
        grantAt = used - AddressFile.byteCountFromGrant
        identityAt = grantAt - AddressFile.dataName.utf8.count - 2 * TapIdentity.encryptedSize
    }

    /// The file of a card that keeps the address it has, whatever it is: only its grant is written.
    package init(keepingWith grantAt: Int) {
        self.grantAt = grantAt
        identityAt = grantAt - AddressFile.dataName.utf8.count - 2 * TapIdentity.encryptedSize
        let used = grantAt + AddressFile.byteCountFromGrant
        codeAt = used - 2 * TapKeys.codeSize
        template = [UInt8](repeating: 0, count: used)
        keepsAddress = true
    }

    /// The place of the grant in a file with another address, by its first bytes. Nil where no
    /// address of ours can be.
    package static func grantAt(length bytes: [UInt8]) -> Int? {
        // Before the number is read: anybody can answer with as many bytes as he likes.
        guard bytes.count == lengthByteCount else { return nil }
        let used = lengthByteCount + Int(FixedNumber.value(bytes[...]))
        let place = used - byteCountFromGrant
        return used <= longest && place > lengthByteCount ? place : nil
    }

    /// Whether a chip has written a number of 48 digits into a file of ours, over the name that
    /// follows: so does one that was switched to LRP. With the protocol of our cards it has 32.
    static func showsLRP(_ file: [UInt8]) -> Bool {
        let count = 2 * TapIdentity.encryptedSize
        let longer = 3 * TapIdentity.encryptedSize
        guard let place = grantAt(length: Array(file.prefix(lengthByteCount))) else { return false }
        let start = place - dataName.utf8.count - count
        let name = start - identityName.utf8.count
        guard name > lengthByteCount, file.count >= start + longer else { return false }
        return file[name..<start].elementsEqual(identityName.utf8)
            && file[start..<(start + longer)].allSatisfy(isDigit)
    }

    /// The values that a chip has written into a file of ours; nil in any other.
    static func tapMessage(in file: [UInt8]) -> TapMessage? {
        guard let place = grantAt(length: Array(file.prefix(lengthByteCount))) else { return nil }
        let known = AddressFile(keepingWith: place)
        guard known.identityAt >= lengthByteCount else { return nil }
        func digits(_ start: Int, _ count: Int) -> String {
            String(decoding: file.dropFirst(start).prefix(2 * count), as: UTF8.self)
        }
        return try? TapMessage(
            identity: digits(known.identityAt, TapIdentity.encryptedSize),
            data: digits(place, TapMessage.dataSize),
            code: digits(known.codeAt, TapKeys.codeSize))
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"): true
        default: false
        }
    }

    /// The bytes from the grant to the end of the file, which are the same for every address.
    private static let byteCountFromGrant =
        2 * TapMessage.dataSize + codeName.utf8.count + 2 * TapKeys.codeSize

    /// The number of bytes that are written.
    package var byteCount: Int { template.count }

    /// The file with this sealed grant.
    package func bytes(grant: [UInt8]) -> [UInt8] {
        precondition(grant.count == Grant.byteCount, "a grant has \(Grant.byteCount) bytes")
        var bytes = template
        bytes.replaceSubrange(grantRange, with: grant)
        return bytes
    }

    /// The places that may be written by themselves, none longer than one block carries. The grant
    /// is one of them: it is old or new.
    var pieces: [Range<Int>] {
        func cut(_ whole: Range<Int>) -> [Range<Int>] {
            stride(from: whole.lowerBound, to: whole.upperBound, by: AddressFile.mostWritten)
                .map { $0..<min($0 + AddressFile.mostWritten, whole.upperBound) }
        }
        if keepsAddress { return [grantRange] }
        return cut(0..<grantAt) + [grantRange] + cut(grantRange.upperBound..<byteCount)
    }

    /// The most bytes that a write with a code carries in a block of 64.
    private static let mostWritten = 40

    private var grantRange: Range<Int> { grantAt..<(grantAt + Grant.byteCount) }

    /// The settings of the file. Everybody reads it, with the values in their places; only the load
    /// key writes it, and reads it with a code. Codes alone: an encrypted grant would not fit one
    /// block, and everybody near can read it in any case.
    package var settings: FileSettings {
        FileSettings(
            mode: AddressFile.mode, rights: AddressFile.rights,
            mirror: MirrorSettings(
                identity: .encrypted(with: .one, at: identityAt),
                proof: .init(
                    key: .two, from: identityAt, at: codeAt,
                    data: grantAt..<(grantAt + 2 * TapMessage.dataSize))))
    }

    private static let mode = CommunicationMode.authenticated
    private static let rights = AccessRights(
        read: .free, write: .key(.four), readWrite: .key(.four), change: .key(.application))

    /// Whether a station can use a card whose file has these settings. The places of mirrored
    /// values are not compared, because they depend on the card's address.
    static func isOfCard(_ settings: FileSettings, _ file: FileNumber) -> Bool {
        switch file {
        case .data: settings == slotSettings
        case .ndef: settings.mode == mode && settings.rights == rights
        case .capability: true
        }
    }

    /// The settings of the file with the slots: only the sell key reads and writes it.
    package static let slotSettings = FileSettings(
        mode: .full,
        rights: AccessRights(
            read: .key(.three), write: .key(.three), readWrite: .key(.three),
            change: .key(.application)))

    /// Letters, digits, and the marks of a name and a path.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: Array("-._~/:".utf8).contains(byte)
        }
    }
}

/// Why an address cannot be the page of a card.
package struct AddressError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
