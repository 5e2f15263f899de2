import Tags
import Testing

@Suite("Limits of NDEF messages")
struct MessageLimitsTests {
    private static let maximum = NDEFMessage.maximumByteCount

    @Test("Record types and ids have at most 255 bytes", arguments: [255, 256])
    func names(count: Int) throws {
        let name = [UInt8](repeating: 0x61, count: count)
        let records = [
            NDEFRecord(format: .external, type: name),
            NDEFRecord(format: .unknown, id: name),
        ]
        for record in records {
            let message = NDEFMessage([record])
            if count > NDEFRecord.maximumNameByteCount {
                #expect(throws: NDEFError(.tooLong)) { try message.encoded() }
            } else {
                #expect(try NDEFMessage(decoding: message.encoded()) == message)
            }
        }
    }

    @Test("A record that contradicts itself is not written")
    func contradictions() {
        let records = [
            NDEFRecord(format: .empty, payload: [7]),
            NDEFRecord(format: .unknown, type: [0x54]),
            NDEFRecord(format: .wellKnown),
        ]
        for record in records {
            #expect(throws: NDEFError(.badType)) { try NDEFMessage([record]).encoded() }
        }
    }

    @Test("A message has at most 256 records", arguments: [256, 257])
    func records(count: Int) throws {
        let message = NDEFMessage([NDEFRecord](repeating: .init(format: .empty), count: count))
        let middle = [[UInt8]](repeating: [0x10, 0, 0], count: count - 2).flatMap { $0 }
        let bytes: [UInt8] = [0x90, 0, 0] + middle + [0x50, 0, 0]
        if count > NDEFMessage.maximumRecordCount {
            #expect(throws: NDEFError(.tooLong)) { try message.encoded() }
            for strictness in [Strictness.strict, .lenient] {
                #expect(throws: NDEFError(.tooLong)) {
                    try NDEFMessage(decoding: bytes, strictness)
                }
            }
        } else {
            #expect(try message.encoded() == bytes)
            #expect(try NDEFMessage(decoding: bytes) == message)
        }
    }

    @Test("A message longer than a TLV block is not read")
    func bytesRead() throws {
        let record: [UInt8] = [0xD0, 0, 0]
        let fitting = record + [UInt8](repeating: 0, count: Self.maximum - record.count)
        #expect(throws: NDEFError(.trailingBytes)) { try NDEFMessage(decoding: fitting) }
        #expect(throws: NDEFError(.tooLong)) { try NDEFMessage(decoding: fitting + [0]) }
        #expect(throws: NDEFError(.tooLong)) { try NDEFMessage(decoding: fitting + [0], .lenient) }
    }

    @Test("A message longer than a TLV block is not written")
    func bytesWritten() throws {
        let head = 6
        let fitting = NDEFMessage([record(of: Self.maximum - head)])
        let encoded = try fitting.encoded()
        #expect(encoded.count == Self.maximum)
        #expect(try NDEFMessage(decoding: encoded) == fitting)
        let block = try TLVArea(decoding: TLVArea.encoded(message: encoded)).message
        #expect(block?.value == encoded)

        let tooLong = [
            [record(of: Self.maximum - head + 1)],
            [record(of: Self.maximum + 1)],
            [record(of: Self.maximum / 2), record(of: Self.maximum / 2)],
        ]
        for records in tooLong {
            #expect(throws: NDEFError(.tooLong)) { try NDEFMessage(records).encoded() }
        }
    }

    private func record(of payloadByteCount: Int) -> NDEFRecord {
        NDEFRecord(
            format: .unknown, payload: [UInt8](repeating: 7, count: payloadByteCount))
    }
}
