import CardCryptography
import Tags
import TapcardDomain
import Testing

@Suite("Key diversification")
struct KeyDiversificationTests {
    private static let master = key("00112233445566778899AABBCCDDEEFF")

    @Test("Key diversification matches the example of AN10922, 2.2.1")
    func published() {
        let input = bytes("04782E21801D80" + "3042F5" + "4E585020416275")
        #expect(
            KeyDiversification.key(from: Self.master, input: input)
                == key("A8DD63A3B89D54B37CA802473FDA9175"))
    }

    @Test("Each card, key number and issuer has a different key")
    func different() throws {
        var made: [[UInt8]] = []
        for uid in ["04782E21801D80", "04782E21801D81"] {
            let uid = try #require(CardUID(bytes: bytes(uid)))
            for number in KeyNumber.allCases {
                for issuer in ["issuer one", "issuer two"] {
                    made.append(
                        KeyDiversification.key(
                            from: Self.master, uid: uid, number: number, issuer: Array(issuer.utf8)
                        ).copyOfBytes())
                }
            }
        }
        #expect(made.count == 20)
        #expect(Set(made).count == made.count)
    }

    @Test("Inputs of the supported lengths give a key, and others stop the program")
    func lengths() async {
        for count in KeyDiversification.inputSizes {
            let input = [UInt8](repeating: 7, count: count)
            _ = KeyDiversification.key(from: Self.master, input: input)
        }
        await #expect(processExitsWith: .failure) {
            _ = KeyDiversification.key(
                from: AESKey([UInt8](repeating: 0, count: 16)),
                input: [UInt8](repeating: 7, count: 15))
        }
        await #expect(processExitsWith: .failure) {
            _ = KeyDiversification.key(
                from: AESKey([UInt8](repeating: 0, count: 16)),
                input: [UInt8](repeating: 7, count: 32))
        }
    }
}
