package import TapcardDomain
package import TextCodecs

/// The bytes of a whole card as they were read: the NDEF area and the two record slots.
package struct CardImage: Hashable, Sendable {
    package let layout: CardLayout
    package let area: [UInt8]
    /// The 16 bytes of each record slot, whether or not they are a record.
    package let records: [[UInt8]]

    /// `nil` unless the number of bytes matches the layout.
    package init?(_ bytes: [UInt8], layout: CardLayout) {
        guard bytes.count == layout.byteCount else { return nil }
        self.layout = layout
        // The two parts are adjacent, so a single read returns both.
        area = Array(bytes[..<layout.ndefByteCount])
        records = (0..<2).map { Array(bytes[layout.recordBytes($0)]) }
    }

    package func content(in currency: Currency) -> TagContent {
        // A message written by other software may extend into the record slots.
        TagContent(decoding: area + records.joined(), currency: currency)
    }

    /// The cardholder and the members added by other software, as far as they can be read. After an
    /// interrupted refresh, they are still there even if the length is zero or the header is
    /// broken.
    package func remains(in currency: Currency) -> (holder: Holder, extras: [JSONMember])? {
        value.flatMap(CardFace.remains)
    }

    /// The face of the card, read from its JSON regardless of the bytes before it. `nil` unless our
    /// members come first, in the order in which we write them, followed by those added by other
    /// software.
    package func remainingFace(in currency: Currency) -> CardFace? {
        guard let value, let members = value.members,
            let face = try? CardFace(value, currency: currency)
        else { return nil }
        // Any other order means that other software wrote this JSON.
        let own = members.dropLast(face.extras.count).map(\.key)
        let order = face.style == .tapcard ? FaceKey.own : FaceKey.app
        return own == order.filter(own.contains) ? face : nil
    }

    private var value: JSONValue? {
        guard let start = startOfJSON,
            // Only a prefix is parsed, because the terminator, zeros, or the rest of a longer
            // message may follow.
            let (value, _) = try? JSONValue.parsingPrefix(of: area, from: start)
        else { return nil }
        return value
    }

    /// The position of the first byte of the JSON. A length byte of 123 also looks like a brace,
    /// but no quotation mark follows it.
    private var startOfJSON: Int? {
        area.indices.first { index in
            area[index] == UInt8(ascii: "{")
                && area[index...].dropFirst().first { !CardImage.whiteSpace.contains($0) }
                    == UInt8(ascii: "\"")
        }
    }

    private static let whiteSpace: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
}
