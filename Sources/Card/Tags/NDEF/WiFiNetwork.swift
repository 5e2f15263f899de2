/// A Wi-Fi network and its password, as phones read them from a tag (Wi-Fi Simple Configuration).
package struct WiFiNetwork: Hashable, Sendable {
    /// How a device proves that it may join.
    package enum Security: Hashable, Sendable {
        case open, wep
        /// WPA or WPA2 with a password.
        case wpa
        /// The standard's number for another method, such as one with an account for each user.
        case other(UInt16)
    }

    static let mediaType = "application/vnd.wfa.wsc"

    package let name: String
    /// Empty for an open network.
    package let password: String
    package let security: Security

    package init(name: String, password: String, security: Security) {
        self.name = name
        self.password = password
        self.security = security
    }

    /// Whether a message may contain a Wi-Fi record, even if it cannot be decoded.
    package static func mayBe(in message: [UInt8]) -> Bool {
        let records = (try? NDEFMessage(decoding: message, .lenient))?.records ?? []
        // The chunks of a Smart Poster may split the type of a record inside it.
        return ([message] + records.map(\.payload)).contains { bytes in
            // This bit makes letters small, and is already set in the other bytes of the type.
            bytes.map { $0 | 0x20 }.contains(Array(mediaType.utf8))
        }
    }

    /// The attributes that describe a network. Each has a type and a length of two bytes.
    private enum Attribute {
        static let credential: UInt16 = 0x100E
        static let index: UInt16 = 0x1026
        static let name: UInt16 = 0x1045
        static let authentication: UInt16 = 0x1003
        static let encryption: UInt16 = 0x100F
        static let password: UInt16 = 0x1027
        static let address: UInt16 = 0x1020
    }

    /// Reads the networks in the payload of a Wi-Fi record. Skips attributes of other types.
    static func networks(in payload: [UInt8]) throws(NDEFError) -> [WiFiNetwork] {
        var networks: [WiFiNetwork] = []
        for (type, value) in try attributes(in: payload) where type == Attribute.credential {
            networks.append(try WiFiNetwork(credential: value))
        }
        guard !networks.isEmpty else { throw NDEFError(.badText, "no Wi-Fi network") }
        return networks
    }

    private init(credential: [UInt8]) throws(NDEFError) {
        var name: String?
        var password = ""
        var authentication: UInt16?
        var encryption: UInt16?
        for (type, value) in try Self.attributes(in: credential) {
            switch type {
            case Attribute.name: name = try Self.text(value, "the name of a network")
            case Attribute.password: password = try Self.text(value, "the password of a network")
            case Attribute.authentication: authentication = Self.number(value)
            case Attribute.encryption: encryption = Self.number(value)
            default: break
            }
        }
        guard let name else { throw NDEFError(.badText, "a Wi-Fi network without a name") }
        self.name = name
        self.password = password
        security =
            switch (authentication, encryption) {
            // Only the encryption distinguishes WEP from an open network.
            case (_, 0x0002): .wep
            case (nil, _), (0x0001, _): .open
            // WPA, WPA2, and both, each with a password.
            case (0x0002, _), (0x0020, _), (0x0022, _): .wpa
            case (let other?, _): .other(other)
            }
    }

    /// This network as a record. Does not check the lengths of the name and password.
    package var record: NDEFRecord {
        // Devices must know the method, so any network with a WPA password becomes WPA2 with AES.
        let (authentication, encryption): (UInt16, UInt16) =
            switch security {
            case .open: (0x0001, 0x0001)
            case .wep: (0x0001, 0x0002)
            case .wpa: (0x0020, 0x0008)
            case .other(let number): (number, 0x0008)
            }
        let credential =
            Self.attribute(Attribute.index, [1])
            + Self.attribute(Attribute.name, Array(name.utf8))
            + Self.attribute(Attribute.authentication, Self.bytes(authentication))
            + Self.attribute(Attribute.encryption, Self.bytes(encryption))
            + Self.attribute(Attribute.password, Array(password.utf8))
            // The address of a single device; all ones mean any device.
            + Self.attribute(Attribute.address, [UInt8](repeating: 0xFF, count: 6))
        return .media(Self.mediaType, Self.attribute(Attribute.credential, credential))
    }

    private static func attributes(
        in bytes: [UInt8]
    ) throws(NDEFError) -> [(type: UInt16, value: [UInt8])] {
        var reader = ByteReader(bytes, errorAtEnd: .truncated)
        var attributes: [(UInt16, [UInt8])] = []
        while reader.remaining > 0 {
            let type = try reader.number(width: 2, "the type of a Wi-Fi attribute")
            let count = try reader.number(width: 2, "the length of a Wi-Fi attribute")
            attributes.append(
                (UInt16(truncatingIfNeeded: type), try reader.take(count, "a Wi-Fi attribute")))
        }
        return attributes
    }

    private static func text(_ bytes: [UInt8], _ what: String) throws(NDEFError) -> String {
        // Some writers end the name with a zero byte.
        let content = bytes.last == 0 ? bytes.dropLast() : bytes[...]
        guard let text = String(validating: content, as: UTF8.self) else {
            throw NDEFError(.badText, "\(what) is not UTF-8")
        }
        return text
    }

    private static func number(_ bytes: [UInt8]) -> UInt16? {
        bytes.count == 2 ? UInt16(bytes[0]) << 8 | UInt16(bytes[1]) : nil
    }

    private static func bytes(_ number: UInt16) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
    }

    private static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
        bytes(type) + bytes(UInt16(truncatingIfNeeded: value.count)) + value
    }
}
