import Tags

/// What a phone without our app shows for a tag.
package enum PhoneView: Hashable, Sendable {
    /// The phone opens this address.
    case address(String)
    /// The phone shows this text.
    case text(String)
    /// The phone shows nothing: the tag has no message, or an empty one.
    case nothing
    /// A message that phones pass to another app or cannot read.
    case other

    /// What a phone shows for an NDEF message.
    package init(message bytes: [UInt8]) {
        guard !bytes.isEmpty else {
            self = .nothing
            return
        }
        // Lenient, because other software may have written the message.
        guard let message = try? NDEFMessage(decoding: bytes, .lenient),
            let record = message.records.first
        else {
            self = .other
            return
        }
        if record.format == .empty {
            self = .nothing
        } else if let uri = try? NDEFURI(record) {
            self = .address(uri.uri)
        } else if let text = try? NDEFText(record) {
            self = .text(text.text)
        } else {
            self = .other
        }
    }

    /// What a phone shows for the data area of a Type 2 tag, which starts at page 4.
    package init(area: [UInt8]) {
        guard let block = try? TLVArea(decoding: area) else {
            self = .other
            return
        }
        self.init(message: block.message?.value ?? [])
    }
}
