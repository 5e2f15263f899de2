/// Who may perform one kind of access to a file.
package enum AccessCondition: Hashable, Sendable {
    case key(KeyNumber)
    case free
    case never

    init?(nibble: UInt8) {
        switch nibble {
        case 0xE: self = .free
        case 0xF: self = .never
        default:
            // The chip has keys 0 to 4, so 5h to Dh are invalid.
            guard let key = KeyNumber(rawValue: nibble) else { return nil }
            self = .key(key)
        }
    }

    var nibble: UInt8 {
        switch self {
        case .key(let key): key.rawValue
        case .free: 0xE
        case .never: 0xF
        }
    }
}

/// Who may perform each kind of access to a file.
package struct AccessRights: Hashable, Sendable {
    package let read: AccessCondition
    package let write: AccessCondition
    package let readWrite: AccessCondition
    /// Who may change the settings of the file.
    package let change: AccessCondition

    package init(
        read: AccessCondition, write: AccessCondition, readWrite: AccessCondition,
        change: AccessCondition
    ) {
        (self.read, self.write) = (read, write)
        (self.readWrite, self.change) = (readWrite, change)
    }

    /// Whether writing requires no key.
    package var letsAnyoneWrite: Bool { [write, readWrite].contains(.free) }

    init?(_ bytes: [UInt8]) {
        guard bytes.count == 2, let readWrite = AccessCondition(nibble: bytes[0] >> 4),
            let change = AccessCondition(nibble: bytes[0] & 0x0F),
            let read = AccessCondition(nibble: bytes[1] >> 4),
            let write = AccessCondition(nibble: bytes[1] & 0x0F)
        else { return nil }
        self.init(read: read, write: write, readWrite: readWrite, change: change)
    }

    var bytes: [UInt8] {
        // The low byte comes first.
        [readWrite.nibble << 4 | change.nibble, read.nibble << 4 | write.nibble]
    }
}

/// How a file's data is protected in transit.
package enum CommunicationMode: UInt8, Hashable, Sendable, CaseIterable {
    case plain = 0
    /// With a MAC on the command and on the response.
    case authenticated = 1
    /// Encrypted, with a MAC.
    case full = 3

    // In these two bits, 2 also means plain.
    init(bits: UInt8) { self = CommunicationMode(rawValue: bits & 3) ?? .plain }
}
