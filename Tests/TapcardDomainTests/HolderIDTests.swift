import TapcardDomain
import Testing

@Suite("A holder's id")
struct HolderIDTests {
    @Test("is a number from 1", arguments: [("1", 1), ("007", 7), ("9223372036854775807", .max)])
    func reads(text: String, number: Int64) throws {
        let id = try HolderID(parsing: text)
        #expect(id.number == number)
        #expect(id == (try HolderID(number)))
        #expect(try HolderID(parsing: id.description) == id)
    }

    @Test(
        "is nothing else",
        arguments: [
            "", "0", "000", "-1", "+1", "1.0", "1e3", " 1", "1 ", "1\n", "x", "0x1", "１", "٣",
            "9223372036854775808", String(repeating: "9", count: 1_000),
        ])
    func refuses(text: String) {
        let refusal = #expect(throws: Refusal(.badIdentifier, "")) { try HolderID(parsing: text) }
        #expect((refusal?.detail.count ?? .max) < 120)
    }

    @Test("is not made of a number below 1", arguments: [0, -1, Int64.min])
    func refuses(number: Int64) {
        #expect(throws: Refusal(.badIdentifier, "")) { try HolderID(number) }
    }

    @Test("may be missing, and the name too")
    func nobody() {
        #expect(Holder.nobody == Holder(id: nil, name: nil))
    }
}
