import Tags
import Testing

@Suite("Rules of NDEF messages")
struct MessageRulesTests {
    /// Bytes that break a rule, with the result of strict and of lenient reading.
    struct Breach: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let strict: NDEFError.Kind
        /// The payloads that lenient reading finds; nil if it fails with the strict error.
        let lenient: [[UInt8]]?

        init(
            _ description: String, _ bytes: [UInt8], _ strict: NDEFError.Kind,
            lenient: [[UInt8]]? = nil
        ) {
            testDescription = description
            self.bytes = bytes
            self.strict = strict
            self.lenient = lenient
        }
    }

    // Heads: 80h begins the message, 40h ends it, 20h more chunks follow, 10h short, 08h has an
    // id; then the type name format. 54h is the type `T`.
    static let breaches = [
        Breach("no bytes", [], .truncated),
        Breach("no begin", [0x51, 1, 1, 0x54, 7], .misplacedFlag),
        Breach(
            "two begins", [0x91, 1, 1, 0x54, 7, 0xD1, 1, 1, 0x54, 8], .misplacedFlag,
            lenient: [[7], [8]]),
        Breach(
            "a chunk that begins", [0xB1, 1, 1, 0x54, 7, 0xD6, 0, 1, 8], .misplacedFlag,
            lenient: [[7, 8]]),
        Breach("no end", [0x91, 1, 1, 0x54, 7], .truncated),
        Breach("a second record cut off", [0x91, 1, 1, 0x54, 7, 0x51, 1, 2, 0x54, 8], .truncated),
        Breach("a first record cut off", [0xD1, 1, 2, 0x54, 7], .truncated),
        Breach(
            "bytes behind the end", [0xD1, 1, 1, 0x54, 7, 0], .trailingBytes, lenient: [[7]]),
        Breach("end with chunks to follow", [0xF1, 1, 1, 0x54, 7], .misplacedFlag),
        Breach("a chunk without a first", [0xD6, 0, 1, 7], .badChunk),
        Breach(
            "a record amid chunks", [0xB1, 1, 1, 0x54, 7, 0x51, 1, 1, 0x54, 8], .badChunk),
        Breach(
            "a chunk with a type", [0xB1, 1, 1, 0x54, 7, 0x56, 1, 1, 0x54, 8], .badChunk),
        Breach(
            "a chunk with an id", [0xB1, 1, 1, 0x54, 7, 0x5E, 0, 1, 1, 9, 8], .badChunk),
        Breach(
            "a chunk with an empty id", [0xB1, 1, 1, 0x54, 7, 0x5E, 0, 1, 0, 8], .badChunk),
        Breach(
            "a chunk behind the last one",
            [0xB1, 1, 1, 0x54, 7, 0x16, 0, 1, 8, 0x56, 0, 1, 9], .badChunk),
        Breach("chunks without a last", [0xB1, 1, 1, 0x54, 7, 0x36, 0, 1, 8], .truncated),
        Breach(
            "a whole record, then chunks without a last",
            [0x91, 1, 1, 0x54, 7, 0x31, 1, 1, 0x54, 8], .truncated),
        Breach("reserved format", [0xD7, 1, 1, 0x54, 7], .reserved, lenient: [[7]]),
        Breach("an empty record with a type", [0xD0, 1, 0, 0x54], .badType),
        Breach("an empty record with an id", [0xD8, 0, 0, 1, 9], .badType),
        Breach("an empty record with a payload", [0xD0, 0, 1, 7], .badType),
        Breach("an unknown type with a name", [0xD5, 1, 1, 0x54, 7], .badType),
        Breach("a known type without a name", [0xD1, 0, 1, 7], .badType),
        Breach("a media type without a name", [0xD2, 0, 1, 7], .badType),
        Breach("an absolute URI without a name", [0xD3, 0, 1, 7], .badType),
        Breach("an external type without a name", [0xD4, 0, 1, 7], .badType),
        Breach("an id length without its byte", [0xD9, 1, 0], .truncated),
        Breach("a long length of one byte", [0xC1, 1, 1, 0x54, 7], .truncated),
        Breach(
            "the longest length there is", [0xC1, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0x54, 7],
            .truncated),
    ]

    @Test("Strict reading refuses every breach of the rules", arguments: breaches)
    func strictRefusal(_ breach: Breach) {
        #expect(throws: NDEFError(breach.strict)) { try NDEFMessage(decoding: breach.bytes) }
    }

    @Test("Lenient reading forgives exactly the breaches marked as lenient", arguments: breaches)
    func lenientReading(_ breach: Breach) throws {
        if let payloads = breach.lenient {
            let message = try NDEFMessage(decoding: breach.bytes, .lenient)
            #expect(message.records.map(\.payload) == payloads)
        } else {
            #expect(throws: NDEFError(breach.strict)) {
                try NDEFMessage(decoding: breach.bytes, .lenient)
            }
        }
    }

    @Test("A record of the reserved format is read leniently as unknown, without its type")
    func reservedFormat() throws {
        let message = try NDEFMessage(decoding: [0xDF, 1, 1, 1, 0x54, 9, 7], .lenient)
        #expect(message.records == [NDEFRecord(format: .unknown, id: [9], payload: [7])])
    }

    @Test("An empty record id is read as no id")
    func emptyID() throws {
        let message = try NDEFMessage(decoding: [0xD9, 1, 1, 0, 0x54, 7])
        #expect(message.records == [text([7])])
        #expect(try message.encoded() == [0xD1, 1, 1, 0x54, 7])
    }

    @Test("A message without records is written as one empty record")
    func noRecords() throws {
        #expect(try NDEFMessage([]).encoded() == [0xD0, 0, 0])
        #expect(try NDEFMessage(decoding: [0xD0, 0, 0]).records == [NDEFRecord(format: .empty)])
    }

    @Test("Chunks of any size are joined into one record", arguments: 1...9)
    func chunksJoin(size: Int) throws {
        let payload: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: payload.count, by: size) {
            let chunk = payload[start..<min(start + size, payload.count)]
            let isLast = chunk.endIndex == payload.endIndex
            let head: UInt8 = (isLast ? 0x50 : 0x30) | (start == 0 ? 0x81 : 0x06)
            bytes += [head, start == 0 ? 1 : 0, UInt8(chunk.count)]
            bytes += (start == 0 ? [0x54] : []) + chunk
        }
        #expect(try NDEFMessage(decoding: bytes) == NDEFMessage([text(payload)]))
    }

    @Test("A record after a chunked one is read")
    func recordBehindChunks() throws {
        let bytes: [UInt8] = [0xB1, 1, 1, 0x54, 7, 0x16, 0, 1, 8, 0x51, 1, 1, 0x54, 9]
        #expect(try NDEFMessage(decoding: bytes) == NDEFMessage([text([7, 8]), text([9])]))
    }

    @Test("A payload length takes one byte up to 255 and four bytes above", arguments: [255, 256])
    func shortAndLong(count: Int) throws {
        let message = NDEFMessage([text([UInt8](repeating: 7, count: count))])
        let encoded = try message.encoded()
        #expect(
            encoded.prefix(6)
                == (count == 255 ? [0xD1, 1, 255, 0x54, 7, 7] : [0xC1, 1, 0, 0, 1, 0]))
        #expect(try NDEFMessage(decoding: encoded) == message)
    }

    private func text(_ payload: [UInt8]) -> NDEFRecord {
        NDEFRecord(format: .wellKnown, type: [0x54], payload: payload)
    }
}
