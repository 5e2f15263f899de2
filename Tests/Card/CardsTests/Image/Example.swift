import CardCryptography
import Cards
import Tags
import TapcardDomain
import Testing
import TextCodecs

/// The card of the example that docs/CARDS.md names.
struct Example {
    static let json =
        #"{"balance":12.50    ,"id":1,"name":"Amanda Gonzalez","#
        + #""code":"0b9f6f1c-6f0e-4a0c-9d52-6a4f0e1b7a11","state":"scratched"}"#
    static let record = "4600000C000004E2B570CDDC38EFE8D2"
    static let olderRecord = "4600000B000005DCBB78A979E42CCE3B"

    let uid: CardUID
    let holder: Holder
    let balance = Money(minorUnits: 1_250, .usd)
    let sequence: SequenceNumber
    let code: ScratchCode
    let keys = CardKeys(
        macMaster: Array(0x00...0x1F), passwordMaster: Array(0x20...0x3F), keyID: 1)

    var face: CardFace {
        CardFace(style: .tapcard, balance: balance, holder: holder, scratch: .scratched(code))
    }
    var cardKey: [UInt8] { keys.cardKey(uid: uid.bytes) }

    init() throws {
        uid = try #require(CardUID("04AC6B72BA6C80"))
        holder = Holder(id: try HolderID(1), name: try HolderName("Amanda Gonzalez"))
        sequence = try #require(SequenceNumber(12))
        code = try #require(ScratchCode("0b9f6f1c-6f0e-4a0c-9d52-6a4f0e1b7a11"))
    }

    /// The whole card on a tag.
    func image(_ layout: CardLayout) throws -> CardImage {
        let records = try bytes(Example.record) + bytes(Example.olderRecord)
        return try #require(CardImage(try face.area(in: layout) + records, layout: layout))
    }
}

func bytes(_ digits: String) throws -> [UInt8] {
    try #require(Hexadecimal.decode(digits.filter { !$0.isWhitespace }))
}

/// The JSON in an area, from a Text record or from the payload of another record.
func json(in area: [UInt8]) throws -> String {
    let block = try #require(try TLVArea(decoding: area).message)
    let record = try #require(try NDEFMessage(decoding: block.value).records.first)
    if let text = try? NDEFText(record) { return text.text }
    return try #require(String(validating: record.payload, as: UTF8.self))
}

/// A data area with only this record, filled up with zeros.
func area(_ record: NDEFRecord, count: Int = 144) throws -> [UInt8] {
    let area = TLVArea.encoded(message: try NDEFMessage([record]).encoded())
    return area + [UInt8](repeating: 0, count: max(0, count - area.count))
}

/// A record as the iPhone app writes it: a Text record without a language.
func appRecord(_ json: String) -> NDEFRecord {
    NDEFRecord(format: .wellKnown, type: Array("T".utf8), payload: Array(json.utf8))
}
