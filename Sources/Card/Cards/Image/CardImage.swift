package import TapcardDomain
package import TextCodecs

/// The bytes of a whole card as they were read: the NDEF area and the two record slots.
package struct CardImage: Hashable, Sendable {
    package let layout: CardLayout
    package let area: [UInt8]
    /// Two times sixteen bytes, whether or not they are records.
    package let records: [[UInt8]]

    /// `nil` unless the number of bytes matches the layout.
    package init?(_ bytes: [UInt8], layout: CardLayout) {
        guard bytes.count == layout.byteCount else { return nil }
        self.layout = layout
        area = Array(bytes[..<layout.ndefByteCount])
        records = (0..<2).map { Array(bytes[layout.recordBytes($0)]) }
    }

    package func content(in currency: Currency) -> TagContent {
        // Another writer's message may continue over the record slots.
        TagContent(decoding: area + records.joined(), currency: currency)
    }

    /// The cardholder and the members of other writers, as far as they are readable even after a
    /// length of zero or a broken header: a refresh that was cut off leaves both in place.
    package func remains(in currency: Currency) -> (holder: Holder, extras: [JSONMember])? {
        value.flatMap(CardFace.remains)
    }

    /// The face of the card in the form that we write, with any bytes before it: our own members in
    /// their order, then those of other writers.
    package func remainingFace(in currency: Currency) -> CardFace? {
        guard let value, let members = value.members,
            let face = try? CardFace(value, currency: currency)
        else { return nil }
        // Any other order means that somebody else wrote this JSON.
        let own = members.dropLast(face.extras.count).map(\.key)
        let order = face.style == .tapcard ? FaceKey.own : FaceKey.app
        return own == order.filter(own.contains) ? face : nil
    }

    private var value: JSONValue? {
        guard let start = startOfJSON,
            // A prefix, because the terminator, zeros or remains of a longer message follow.
            let (value, _) = try? JSONValue.parsingPrefix(of: area, from: start)
        else { return nil }
        return value
    }

    /// The first byte of the JSON. A length of 123 is a brace as well, but no member's name follows
    /// it.
    private var startOfJSON: Int? {
        area.indices.first { index in
            area[index] == UInt8(ascii: "{")
                && area[index...].dropFirst().first { !CardImage.whiteSpace.contains($0) }
                    == UInt8(ascii: "\"")
        }
    }

    private static let whiteSpace: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
}
