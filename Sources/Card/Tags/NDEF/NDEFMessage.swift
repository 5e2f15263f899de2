/// An NDEF message: a sequence of records.
package struct NDEFMessage: Hashable, Sendable {
    /// The maximum number of records in a message.
    package static let maximumRecordCount = 256
    /// The maximum number of bytes in a message: as many as one TLV block of a Type 2 tag can hold.
    package static let maximumByteCount = TLV.maximumLength

    package var records: [NDEFRecord]

    package init(_ records: [NDEFRecord]) {
        self.records = records
    }

    /// Reads a message. Chunks are joined, and the long record format is accepted even for short
    /// records.
    ///
    /// In strict mode, only the first record may begin the message, only the last one may end it,
    /// and nothing may follow. Empty input is refused as `.truncated`.
    ///
    /// In lenient mode, only these violations are tolerated:
    /// - a later record, or chunk, that begins the message again;
    /// - anything after the record that ends the message, which is ignored;
    /// - the reserved type name format; the record is treated as having an unknown type, and its
    ///   type is dropped.
    ///
    /// The limits on records and bytes apply in both modes. Input that ends before the record that
    /// ends the message is refused in both modes: an interrupted write can leave it.
    package init(
        decoding bytes: [UInt8], _ strictness: Strictness = .strict
    ) throws(NDEFError) {
        guard bytes.count <= Self.maximumByteCount else {
            throw NDEFError(.tooLong, "a message of \(bytes.count) bytes")
        }
        var reader = ByteReader(bytes, errorAtEnd: .truncated)
        var assembler = RecordAssembler(strictness)
        // The message ends at its end flag; other bytes may follow on the tag.
        while !assembler.isComplete {
            try assembler.add(RecordFragment(from: &reader))
        }
        guard strictness == .lenient || reader.remaining == 0 else {
            throw NDEFError(.trailingBytes, "\(reader.remaining) bytes after the last record")
        }
        records = assembler.records
    }

    /// The bytes of the message: without chunks, and with short records where the payload allows
    /// it. A message without records is written as one empty record, the shortest possible message.
    package func encoded() throws(NDEFError) -> [UInt8] {
        guard records.count <= Self.maximumRecordCount else {
            throw NDEFError(.tooLong, "\(records.count) records")
        }
        // A message cannot have zero records: a record has to carry the begin and end flags.
        let written = records.isEmpty ? [NDEFRecord(format: .empty)] : records
        var bytes: [UInt8] = []
        for (index, record) in written.enumerated() {
            try record.validate()
            // Checked before the payload is copied into the message.
            guard record.payload.count <= Self.maximumByteCount else {
                throw NDEFError(.tooLong, "a payload of \(record.payload.count) bytes")
            }
            var position: RecordFragment.Flags = []
            if index == 0 { position.insert(.messageBegin) }
            if index == written.count - 1 { position.insert(.messageEnd) }
            RecordFragment(record, position: position).append(to: &bytes)
            guard bytes.count <= Self.maximumByteCount else {
                throw NDEFError(.tooLong, "a message of more than \(Self.maximumByteCount) bytes")
            }
        }
        return bytes
    }
}
