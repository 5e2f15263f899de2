/// An NDEF message: the records that a tag offers to its reader.
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
    /// Strictly, only the first record begins the message, only the last one ends it, and nothing
    /// follows. Empty input is refused as `.truncated`.
    ///
    /// Leniently, these breaches are forgiven, and no others:
    /// - a later record, or chunk, that begins the message again;
    /// - anything after the record that ends the message: it is not looked at;
    /// - bytes that run out before a record ended the message, within a record or between two,
    ///   if at least one whole record came before: the whole records are the message;
    /// - the reserved type name format: the record is of unknown type, and its type is dropped.
    ///
    /// The limits on records and bytes hold in either case.
    package init(
        decoding bytes: [UInt8], _ strictness: Strictness = .strict
    ) throws(NDEFError) {
        guard bytes.count <= Self.maximumByteCount else {
            throw NDEFError(.tooLong, "a message of \(bytes.count) bytes")
        }
        var reader = ByteReader(bytes, errorAtEnd: .truncated)
        var assembler = RecordAssembler(strictness)
        do throws(NDEFError) {
            while !assembler.isComplete {
                try assembler.add(RecordFragment(from: &reader))
            }
        } catch {
            let isForgiven = strictness == .lenient && error.kind == .truncated
            guard isForgiven, !assembler.records.isEmpty else { throw error }
        }
        guard strictness == .lenient || reader.remaining == 0 else {
            throw NDEFError(.trailingBytes, "\(reader.remaining) bytes after the last record")
        }
        records = assembler.records
    }

    /// The bytes of the message: no chunks, and short records where the payload allows. A message
    /// without records is written as one empty record, the shortest possible message.
    package func encoded() throws(NDEFError) -> [UInt8] {
        guard records.count <= Self.maximumRecordCount else {
            throw NDEFError(.tooLong, "\(records.count) records")
        }
        let written = records.isEmpty ? [NDEFRecord(format: .empty)] : records
        var bytes: [UInt8] = []
        for (index, record) in written.enumerated() {
            try record.validate()
            // Before it is copied into the message.
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
