import PCSCReader
import Tags
import Testing

@Suite("Data objects of the transparent exchange")
struct DataObjectTests {
    @Test("Several objects are parsed, with short and long tags and lengths")
    func several() throws {
        let long = [UInt8](repeating: 0x5A, count: 0x80)
        let bytes: [UInt8] =
            [0xC0, 0x03, 0x00, 0x90, 0x00, 0x5F, 0x46, 0x01, 0x07, 0x92, 0x00]
            + [0x97, 0x81, 0x80] + long
        #expect(
            try DataObject.parse(bytes) == [
                DataObject(tag: 0xC0, content: [0x00, 0x90, 0x00]),
                DataObject(tag: 0x5F46, content: [0x07]), DataObject(tag: 0x92, content: []),
                DataObject(tag: 0x97, content: long),
            ])
    }

    @Test("No bytes hold no object")
    func empty() throws {
        #expect(try DataObject.parse([]) == [])
    }

    @Test("An object with an unknown tag is kept as it is")
    func unknownTag() throws {
        #expect(try DataObject.parse([0x01, 0x01, 0xFF]) == [DataObject(tag: 1, content: [0xFF])])
    }

    @Test("A length of two bytes is parsed")
    func longest() throws {
        let content = [UInt8](repeating: 1, count: 0x0102)
        #expect(
            try DataObject.parse([0x97, 0x82, 0x01, 0x02] + content)
                == [DataObject(tag: 0x97, content: content)])
    }

    @Test(
        "A data object cut off anywhere is refused",
        arguments: [
            [0x97, 0x02, 0x01, 0x02], [0x5F, 0x46, 0x01, 0x07], [0x97, 0x81, 0x02, 0x01, 0x02],
            [0x97, 0x82, 0x00, 0x01, 0x01],
        ])
    func cutOff(bytes: [UInt8]) {
        #expect((try? DataObject.parse(bytes))?.count == 1)
        for count in 1..<bytes.count {
            #expect(throws: ReaderError(.garbled), "\(count) bytes") {
                try DataObject.parse(Array(bytes.prefix(count)))
            }
        }
    }

    @Test(
        "An invalid length, or one beyond the data, is refused",
        arguments: [
            // Without end, in three bytes, in 127 bytes.
            [0x97, 0x80], [0x97, 0x80, 0x01, 0x00, 0x00], [0x97, 0x83, 0x00, 0x00, 0x01, 0xAA],
            [0x97, 0xFF, 0x01], [0x97, 0x7F, 0x01], [0x97, 0x82, 0xFF, 0xFF, 0x01],
            // Valid, and followed by the beginning of another.
            [0x97, 0x01, 0x0A, 0x00],
        ])
    func badLength(bytes: [UInt8]) {
        #expect(throws: ReaderError(.garbled)) { try DataObject.parse(bytes) }
    }
}
