public import TapcardDomain
public import TextCodecs

/// The bytes of a whole card as they were read: the NDEF area and the two record places.
public struct CardImage: Hashable, Sendable {
    public let layout: CardLayout
    public let area: [UInt8]
    /// Two times sixteen bytes, whether or not they are records.
    public let records: [[UInt8]]

    /// Nil where the bytes are not as many as the layout says.
    public init?(_ bytes: [UInt8], layout: CardLayout) {
        guard bytes.count == layout.byteCount else { return nil }
        self.layout = layout
        area = Array(bytes[..<layout.ndefByteCount])
        records = (0..<2).map { Array(bytes[layout.recordBytes($0)]) }
    }

    public func content(in currency: Currency) -> TagContent {
        // Another writer's message may run on over the places of the records.
        TagContent(decoding: area + records.joined(), currency: currency)
    }

    /// Whose card it is and what others added, as far as it can be made out even behind a length
    /// of zero or a broken header: while a refresh is under way, both still stand where they were.
    public func remains(in currency: Currency) -> (holder: Holder, extras: [JSONMember])? {
        value.flatMap(CardFace.remains)
    }

    /// The face of the card where it still stands as we write it, whatever stands in front of it:
    /// our own members, in their order, and behind them those of others.
    public func remainingFace(in currency: Currency) -> CardFace? {
        guard let value, let members = value.members,
            let face = try? CardFace(value, currency: currency)
        else { return nil }
        let own = members.dropLast(face.extras.count).map(\.key)
        let order = face.style == .tapcard ? FaceKey.own : FaceKey.app
        return own == order.filter(own.contains) ? face : nil
    }

    private var value: JSONValue? {
        guard let start = startOfJSON,
            let (value, _) = try? JSONValue.parsingPrefix(of: area, from: start)
        else { return nil }
        return value
    }

    /// A length of 123 is a brace as well, but no member's name follows it.
    private var startOfJSON: Int? {
        area.indices.first { index in
            area[index] == UInt8(ascii: "{")
                && area[index...].dropFirst().first { !CardImage.whiteSpace.contains($0) }
                    == UInt8(ascii: "\"")
        }
    }

    private static let whiteSpace: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]

    /// Nothing was ever written to either place of a record.
    public var hasBlankRecords: Bool { records.joined().allSatisfy { $0 == 0 } }
}
