/// Joins fragments into records and enforces the rules for chunks.
struct RecordAssembler {
    private let strictness: Strictness
    private var unfinished: NDEFRecord?
    private(set) var records: [NDEFRecord] = []
    /// Whether the last fragment of the message has been added.
    private(set) var isComplete = false

    init(_ strictness: Strictness) {
        self.strictness = strictness
    }

    mutating func add(_ fragment: RecordFragment) throws(NDEFError) {
        try checkPosition(of: fragment)
        // A record can be as short as three bytes, so a hostile message could otherwise hold
        // thousands.
        guard records.count < NDEFMessage.maximumRecordCount else {
            throw NDEFError(.tooLong, "more than \(NDEFMessage.maximumRecordCount) records")
        }
        let record = try joined(fragment)
        // The record is not validated yet, because it is not complete until its last chunk.
        guard !fragment.flags.contains(.chunked) else {
            unfinished = record
            return
        }
        try record.validate()
        records.append(record)
        unfinished = nil
        isComplete = fragment.flags.contains(.messageEnd)
    }

    private func checkPosition(of fragment: RecordFragment) throws(NDEFError) {
        let isFirst = records.isEmpty && unfinished == nil
        let begins = fragment.flags.contains(.messageBegin)
        guard begins || !isFirst else {
            throw NDEFError(.misplacedFlag, "a first record without the message-begin flag")
        }
        guard isFirst || !begins || strictness == .lenient else {
            throw NDEFError(.misplacedFlag, "a later record with the message-begin flag")
        }
        // Another chunk follows a chunked fragment, so the fragment cannot end the message.
        guard !fragment.flags.isSuperset(of: [.chunked, .messageEnd]) else {
            throw NDEFError(.misplacedFlag, "a message that ends before its last chunk")
        }
    }

    /// The unfinished record with this fragment added, or a new record that begins with it.
    private func joined(_ fragment: RecordFragment) throws(NDEFError) -> NDEFRecord {
        let isLaterChunk = fragment.format == RecordFragment.unchangedFormat
        guard var record = unfinished else {
            guard !isLaterChunk else {
                throw NDEFError(.badChunk, "a continuation chunk without a first chunk")
            }
            return try newRecord(from: fragment)
        }
        guard isLaterChunk else {
            throw NDEFError(.badChunk, "a new record before the last chunk of the previous one")
        }
        // The first chunk contains the type and the ID of the whole record (NDEF 1.0, record
        // chunks).
        guard fragment.type.isEmpty, !fragment.flags.contains(.hasID) else {
            throw NDEFError(.badChunk, "a continuation chunk with its own type or ID")
        }
        // A fragment cannot be longer than the message, so neither can the joined payload.
        record.payload += fragment.payload
        return record
    }

    private func newRecord(from fragment: RecordFragment) throws(NDEFError) -> NDEFRecord {
        if let format = NDEFRecord.TypeNameFormat(rawValue: fragment.format) {
            return NDEFRecord(
                format: format, type: fragment.type, id: fragment.id, payload: fragment.payload)
        }
        guard strictness == .lenient else {
            throw NDEFError(.reserved, "type name format \(fragment.format)")
        }
        // NDEF 1.0 recommends treating 7, the reserved format, as an unknown type.
        return NDEFRecord(format: .unknown, id: fragment.id, payload: fragment.payload)
    }
}
