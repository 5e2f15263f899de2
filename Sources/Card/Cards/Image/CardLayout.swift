package import TapcardDomain

/// Where a card's data is stored on a chip: the area for phones, then the two sealed records.
///
/// They form a single run of pages, so that one FAST_READ returns the whole card.
package struct CardLayout: Hashable, Sendable {
    /// The bytes around the JSON: TLV (2), record header (3), type (1), status and language (3),
    /// terminator (1).
    static let bytesAroundJSON = 10

    package let ndefPages: ClosedRange<UInt8>
    /// The first page of each record; a record takes up four pages.
    package let recordPages: [UInt8]

    package static let ntag213 = CardLayout(
        ndefPages: 0x04...0x1F, recordPages: [0x20, 0x24])
    /// NTAG215 and NTAG216: as many pages as one response from an ACR122 can hold.
    package static let larger = CardLayout(
        ndefPages: 0x04...0x39, recordPages: [0x3A, 0x3E])

    private init(ndefPages: ClosedRange<UInt8>, recordPages: [UInt8]) {
        self.ndefPages = ndefPages
        self.recordPages = recordPages
    }

    /// `nil` if the chip's memory is not organized in pages.
    package init?(_ chip: Chip) {
        switch chip {
        case .ntag213: self = .ntag213
        case .ntag215, .ntag216: self = .larger
        case .ntag424: return nil
        }
    }

    /// The pages of the whole card.
    package var pages: ClosedRange<UInt8> {
        ndefPages.lowerBound...(recordPages[1] + UInt8(SealedRecord.pageCount) - 1)
    }

    package var byteCount: Int { pages.count * 4 }
    package var ndefByteCount: Int { ndefPages.count * 4 }

    /// The maximum number of bytes of JSON.
    package var jsonCapacity: Int { ndefByteCount - CardLayout.bytesAroundJSON }

    /// The range of a record's bytes, counted from the first byte of the card.
    package func recordBytes(_ slot: Int) -> Range<Int> {
        let start = (Int(recordPages[slot]) - Int(ndefPages.lowerBound)) * 4
        return start..<start + SealedRecord.byteCount
    }
}
