/// One complete record of an NDEF message. Any chunks have already been joined.
package struct NDEFRecord: Hashable, Sendable {
    /// The meaning of the bytes in `type`.
    ///
    /// The field has three bits. Its other two values do not occur in complete records: 6 marks the
    /// later chunks of a record, and 7 is reserved.
    package enum TypeNameFormat: UInt8, Hashable, Sendable {
        /// No type, no ID, and no payload.
        case empty = 0
        /// An NFC Forum type, such as `T` or `U`.
        case wellKnown = 1
        /// A media type, such as `application/json`.
        case media = 2
        /// A URI that identifies the type of the payload.
        case absoluteURI = 3
        /// A private type, such as `example.com:card`.
        case external = 4
        /// A payload of unspecified type: `type` is empty.
        case unknown = 5
    }

    /// The maximum number of bytes in a type or an ID, because each length is stored in one byte.
    package static let maximumNameByteCount = 255

    package var format: TypeNameFormat
    package var type: [UInt8]
    package var id: [UInt8]
    package var payload: [UInt8]

    package init(
        format: TypeNameFormat, type: [UInt8] = [], id: [UInt8] = [], payload: [UInt8] = []
    ) {
        self.format = format
        self.type = type
        self.id = id
        self.payload = payload
    }

    /// Whether this is a well-known record with this type name.
    func isWellKnown(_ name: String) -> Bool {
        format == .wellKnown && type.elementsEqual(name.utf8)
    }

    /// Throws if the record is inconsistent or too long. Called after reading and before writing.
    func validate() throws(NDEFError) {
        switch format {
        case .empty:
            guard type.isEmpty, id.isEmpty, payload.isEmpty else {
                throw NDEFError(.badType, "an empty record with content")
            }
        case .unknown:
            guard type.isEmpty else {
                throw NDEFError(.badType, "a record of unknown type with a type name")
            }
        case .wellKnown, .media, .absoluteURI, .external:
            guard !type.isEmpty else { throw NDEFError(.badType, "a record without a type name") }
        }
        guard type.count <= Self.maximumNameByteCount else {
            throw NDEFError(.tooLong, "a type of \(type.count) bytes")
        }
        guard id.count <= Self.maximumNameByteCount else {
            throw NDEFError(.tooLong, "an ID of \(id.count) bytes")
        }
    }
}
