package import Tags
package import TapcardDomain

/// Identifies a chip. No key is used, because the chip counts failed authentications. Of the data
/// that the chip returns, only the maker's signature can be verified.
package struct InspectNTAG424: NTAG424Procedure {
    /// How much to request.
    package enum Depth: Sendable, Hashable {
        /// The versions of keys 0 and 3.
        case keys
        /// Also whether it is an NTAG 424. If it has the factory keys, also the message for phones,
        /// which may be someone else's data.
        case kind
        /// Also the versions of the other keys, the maker's signature, and the message for phones.
        case all
    }

    private enum Query {
        case select, kind, version(KeyNumber), signature, address
    }

    /// The number of bytes to request from the file for phones: as many as every reader can return
    /// in a plain response.
    private static let maximumRead = 240

    package var talk = NTAG424Talk()
    private var queries: ArraySlice<Query>
    private var found = NTAG424Answers()

    private let depth: Depth

    package init(_ depth: Depth) {
        self.depth = depth
        let keys: [Query] = [.version(.application), .version(.three)]
        switch depth {
        case .keys: queries = [.select] + keys
        case .kind: queries = [.select, .kind] + keys
        case .all:
            queries = [.select, .kind] + KeyNumber.allCases.map { .version($0) }
            queries += [.signature, .address]
        }
    }

    package mutating func begin() -> NTAG424Move<NTAG424Answers> { nextMove() }

    package mutating func proceed(
        _ data: [UInt8]
    ) throws(NTAG424CardError) -> NTAG424Move<NTAG424Answers> {
        switch queries.popFirst() {
        case .kind:
            guard data.starts(with: InspectNTAG424.vendorAndType) else { throw .otherChip }
            found.version = data
        case .version(let number):
            guard data.count == 1 else { throw .chip(NTAG424Error(.malformed)) }
            found.keyVersions[number] = data[0]
            // With factory keys, the chip is not one of our cards, but it may hold someone else's
            // message.
            if number == .three, depth == .kind, found.keyVersions.values.allSatisfy({ $0 == 0 }) {
                queries.append(.address)
            }
        case .signature: found.signature = data
        case .address:
            found.address += data
            if !data.isEmpty, found.address.count < FileNumber.ndef.size,
                found.address.count < found.end
            {
                queries.append(.address)
            }
        case .select, nil: break
        }
        return nextMove()
    }

    package var indifferentLength: Int? {
        switch queries.first {
        case .select: 0
        case .version(let number): depth == .kind && number == .three ? nil : 1
        case .kind, .signature, .address, nil: nil
        }
    }

    private func nextMove() -> NTAG424Move<NTAG424Answers> {
        switch queries.first {
        case .select: .run(.selectApplication)
        case .kind: .run(.getVersion)
        case .version(let number): .run(.getKeyVersion(number))
        case .signature: .run(.readSignature)
        // Anyone can read this file, so no key is needed.
        case .address:
            .run(
                .readData(
                    .ndef, offset: found.address.count,
                    length: min(
                        InspectNTAG424.maximumRead, FileNumber.ndef.size - found.address.count)),
                .plain)
        case nil: .finish(found)
        }
    }

    // NXP, and the NTAG 4xx DNA family.
    static let vendorAndType: [UInt8] = [0x04, 0x04]

    /// The SELECT command for the NDEF application (NFC Forum Type 4), which all Type 4 tags
    /// support.
    package static let selectTextApplication: [UInt8] = [
        0x00, 0xA4, 0x04, 0x00, 0x07, 0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01, 0x00,
    ]

    /// Returns the memory size of a chip with this response to GetVersion, rounded down; nil if
    /// unknown.
    package static func byteCount(version: [UInt8]) -> Int? {
        // Byte 5 is twice the exponent of a power of two, plus 1 if the memory is larger than that.
        guard version.count >= 7, version[0] == 0x04, version[5] >> 1 < 24 else { return nil }
        return 1 << Int(version[5] >> 1)
    }

    /// The name of the chip whose response to GetVersion begins with these bytes; `nil` if unknown.
    package static func otherName(version: [UInt8]) -> String? {
        guard version.count >= 5, version[0] == 0x04 else { return nil }
        // Vendor 04h is NXP; the low nibble of the type identifies the family, and the major
        // version identifies the generation.
        return switch (version[1] & 0x0F, version[3]) {
        case (0x01, 0x00): "MIFARE DESFire"
        case (0x01, 0x01): "MIFARE DESFire EV1"
        case (0x01, 0x12), (0x01, 0x22): "MIFARE DESFire EV2"
        case (0x01, 0x33): "MIFARE DESFire EV3"
        case (0x01, _): "MIFARE DESFire"
        case (0x02, _): "MIFARE Plus"
        case (0x04, _): "NTAG 4xx DNA"
        case (0x08, _): "MIFARE DESFire Light"
        default: nil
        }
    }
}

/// What a chip reports about itself.
package struct NTAG424Answers: Hashable, Sendable {
    /// The versions of the requested keys; 0 is the factory version.
    package fileprivate(set) var keyVersions: [KeyNumber: UInt8] = [:]
    /// The version of key 0, the application key.
    package var applicationVersion: UInt8 { keyVersions[.application] ?? 0 }
    /// The version of key 3, the sell key.
    package var sellingVersion: UInt8 { keyVersions[.three] ?? 0 }
    /// The response to GetVersion; empty if not requested.
    package fileprivate(set) var version: [UInt8] = []
    /// The maker's signature; empty if not requested.
    package fileprivate(set) var signature: [UInt8] = []
    /// The file for phones, at least up to the end of its message; empty if not requested.
    fileprivate var address: [UInt8] = []

    /// Whether the address shows that the chip has been switched to LRP.
    package var showsLRP: Bool { AddressFile.showsLRP(address) }

    /// The read count in the address, if the address was generated by a card with this UID and one
    /// of these keys.
    package func reads(of uid: CardUID, generatedWith keys: [NTAG424CardKeys]) -> UInt32? {
        guard let message = AddressFile.tapMessage(in: address) else { return nil }
        // The address does not identify the keys that it was generated with, so all of them are
        // tried.
        return keys.lazy.compactMap { keys in
            (try? message.verify(metaKey: keys[.one]) { _ in keys[.two] })?.identity
        }.first { $0.uid == uid }?.reads
    }

    /// The message for phones; empty if there is none.
    package var message: [UInt8] {
        Array(address.prefix(end).dropFirst(AddressFile.lengthByteCount))
    }

    /// Where the message for phones ends in its file.
    fileprivate var end: Int {
        let head = AddressFile.lengthByteCount
        return head + Int(FixedNumber.value(address.prefix(head)))
    }
}
