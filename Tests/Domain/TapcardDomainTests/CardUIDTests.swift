import TapcardDomain
import Testing

@Suite("UIDs of cards")
struct CardUIDTests {
    static let bytes: [UInt8] = [0x04, 0xAC, 0x6B, 0x72, 0xBA, 0x6C, 0x80]

    @Test(
        "A UID is read in each form that tools print",
        arguments: [
            "04AC6B72BA6C80", "04ac6b72ba6c80", "04:AC:6B:72:BA:6C:80", "04 ac 6b 72 ba 6c 80",
        ])
    func reads(text: String) throws {
        let uid = try #require(CardUID(text))
        #expect(uid.bytes == Self.bytes)
        #expect(uid == CardUID(bytes: Self.bytes))
        #expect(uid.description == "04AC6B72BA6C80")
    }

    @Test("A UID that is not seven bytes long is refused")
    func lengths() {
        for count in (0...20) where count != 7 {
            #expect(CardUID(bytes: [UInt8](repeating: 4, count: count)) == nil)
            #expect(CardUID(String(repeating: "04", count: count)) == nil)
        }
    }

    @Test(
        "Text that is not a UID is refused",
        arguments: [
            "", "04AC6B72BA6C8", "04AC6B72BA6C800", "04AC6B72BA6C8G", "04-AC-6B-72-BA-6C-80",
            "0x04AC6B72BA6C", "04AC6B72BA6C8\n", "０４AC6B72BA6C80", "04AC6B72BA6C８",
        ])
    func refuses(text: String) {
        #expect(CardUID(text) == nil)
    }

    @Test("UIDs are ordered by their bytes")
    func order() throws {
        let texts = ["00000000000001", "04000000000000", "04AC6B72BA6C80", "FF000000000000"]
        let uids = try texts.map { try #require(CardUID($0)) }
        #expect(Array(uids.reversed()).sorted() == uids)
        #expect(!(uids[0] < uids[0]))
    }
}
