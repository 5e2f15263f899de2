import CardCryptography
import Tags
import Testing

@Suite("Mutual authentication with an NTAG 424")
struct AuthenticationTests {
    /// A whole authentication: the messages of both sides and the resulting session.
    struct Example: Sendable, CustomStringConvertible {
        let name: String
        let number: KeyNumber
        let random: String
        let challenge: String
        let response: String
        let confirmation: String
        var transaction: String?
        var encryption: String?
        var authentication: String?

        var description: String { name }
    }

    /// AN12196 5.6 and 5.10, and two recordings of real chips, all with the factory key.
    static let first = [
        Example(
            name: "AN12196 5.6", number: .application,
            random: "13C5DB8A5930439FC3DEF9A4C675360F",
            challenge: "A04C124213C186F22399D33AC2A30215",
            response: "35C3E05A752E0144BAC0DE51C1F22C56B34408A23D8AEA266CAB947EA8E0118D",
            confirmation: "3FA64DB5446D1F34CD6EA311167F5E4985B89690C04A05F17FA7AB2F08120663",
            transaction: "9D00C4DF", encryption: "1309C877509E5A215007FF0ED19CA564",
            authentication: "4C6626F5E72EA694202139295C7A7FC7"),
        Example(
            name: "AN12196 5.10", number: .three,
            random: "B98F4C50CF1C2E084FD150E33992B048",
            challenge: "B875CEB0E66A6C5CD00898DC371F92D1",
            response: "FF0306E47DFBC50087C4D8A78E88E62DE1E8BE457AA477C707E2F0874916A8B1",
            confirmation: "0CC9A8094A8EEA683ECAAC5C7BF20584206D0608D477110FC6B3D5D3F65C3A6A",
            transaction: "7614281A", encryption: "7A93D6571E4B180FCA6AC90C9A7488D4",
            authentication: "FC4AF159B62E549B5812394CAB1918CC"),
        Example(
            name: "a recording, 704B5F99", number: .application,
            random: "A5F7C97067CC7C6B0C373F15028021EE",
            challenge: "457B8458856FA7D114513E5A65A37405",
            response: "BD8315EF8B1AFF79FB51287D1E93DCE49EE4EC2EEFD5285A499B9EDC59219922",
            confirmation: "94A3D20D1035D7FF691B611360578F7765EC56EC456739A4533FDBA50F9CDFBB",
            transaction: "704B5F99"),
        Example(
            name: "a recording, 085BC941", number: .application,
            random: "C4028B41E6F497099C7087768E78A191",
            challenge: "7858A0B9DBC468F0FF1B2F773D6DF9FC",
            response: "3017D88B23577ECA67A58D82E1AA4CFC1F89142CE070FFBF4593D09DAEFEE96F",
            confirmation: "973A3FCE138BAF3AE755BE492EF9C677913E4C5AF1A9D48B7149BF6C7E2804CC",
            transaction: "085BC941"),
    ]

    /// AN12196 5.14 and a recording, each with the index of the authentication it follows.
    static let next = [
        (
            first: 0,
            Example(
                name: "AN12196 5.14", number: .application,
                random: "60BE759EDA560250AC57CDDC11743CF6",
                challenge: "A6A2B3C572D06C097BB8DB70463E22DC",
                response: "BE7D45753F2CAB85F34BC60CE58B940763FE969658A532DF6D95EA2773F6E991",
                confirmation: "B888349C24B315EAB5B589E279C8263E",
                encryption: "4CF3CB41A22583A61E89B158D252FC53",
                authentication: "5529860B2FC5FB6154B7F28361D30BF9")
        ),
        (
            first: 3,
            Example(
                name: "a recording, key 3", number: .three,
                random: "30288E8925277FAC5A6D6144341C238E",
                challenge: "C8FC6F266D55CA43D3BBDE4CC8479AC2",
                response: "178277CE5780679662BFFE35E20B15FBBD3A712B9EE7C2438E3440F1122A25E7",
                confirmation: "602F908162B712B81B73E3060ED8FFBA")
        ),
    ]

    private func play(
        _ example: Example, isFirst: Bool, _ conversation: inout NTAG424Conversation
    ) throws {
        let begin = try conversation.authenticate(
            example.number, factoryKey, random: bytes(example.random))
        let start =
            isFirst
            ? [0x90, 0x71, 0, 0, 2, example.number.rawValue, 0, 0]
            : [0x90, 0x77, 0, 0, 1, example.number.rawValue, 0]
        #expect(begin == .send(start))
        let second = try conversation.receive(bytes(example.challenge + "91AF"))
        #expect(second == .send(bytes("90AF000020" + example.response + "00")))
        #expect(try conversation.receive(bytes(example.confirmation + "9100")) == .finished([]))
        let session = try #require(conversation.session)
        #expect(conversation.key == example.number)
        if let key = example.encryption { #expect(session.encryption == TagsTests.key(key)) }
        if let key = example.authentication {
            #expect(session.authentication == TagsTests.key(key))
        }
    }

    @Test("Published and recorded first authentications are reproduced", arguments: first)
    func firstAuthentication(example: Example) throws {
        var conversation = NTAG424Conversation()
        try play(example, isFirst: true, &conversation)
        #expect(conversation.session?.transaction == example.transaction.map(bytes))
        #expect(conversation.session?.commands == 0)
    }

    @Test("A further authentication keeps the session's transaction id", arguments: [0, 1])
    func nextAuthentication(index: Int) throws {
        let (number, example) = Self.next[index]
        var conversation = NTAG424Conversation()
        try play(Self.first[number], isFirst: true, &conversation)
        try play(example, isFirst: false, &conversation)
        #expect(
            conversation.session?.transaction == Self.first[number].transaction.map(bytes))
    }

    @Test("The card's side produces the published messages", arguments: first)
    func cardSide(example: Example) throws {
        let card = factoryKey.decrypt(bytes(example.challenge))
        #expect(KeyProof.challenge(card, factoryKey) == bytes(example.challenge))
        let reader = KeyProof.readerRandom(bytes(example.response), card: card, factoryKey)
        #expect(reader == bytes(example.random))
        let transaction = try KeyProof.confirm(
            bytes(example.confirmation), reader: bytes(example.random), isFirst: true, factoryKey)
        #expect(transaction == example.transaction.map(bytes))
    }

    @Test("A flipped bit in the card's proof reveals an impostor", arguments: 0..<160)
    func impostor(bit: Int) throws {
        let example = Self.first[0]
        var conversation = NTAG424Conversation()
        _ = try conversation.authenticate(
            .application, factoryKey, random: bytes(example.random))
        _ = try conversation.receive(bytes(example.challenge + "91AF"))
        var confirmation = bytes(example.confirmation)
        confirmation[bit / 8] ^= 1 << (bit % 8)
        // The bits from 160 on are of capabilities, which prove nothing.
        #expect(throws: NTAG424Error(.impostor)) {
            _ = try conversation.receive(confirmation + [0x91, 0x00])
        }
        #expect(conversation.session == nil)
    }

    @Test("After one refused key, no other key is tried")
    func once() throws {
        var conversation = NTAG424Conversation()
        _ = try conversation.authenticate(
            .three, factoryKey, random: bytes(Self.first[1].random))
        _ = try conversation.receive(bytes(Self.first[1].challenge + "91AF"))
        #expect(throws: NTAG424Error(.refused(.authenticationFailed))) {
            _ = try conversation.receive([0x91, 0xAE])
        }
        #expect(throws: NTAG424Error(.keyAlreadyRefused)) {
            _ = try conversation.authenticate(
                .application, factoryKey, random: bytes(Self.first[0].random))
        }
    }

    @Test("After an authentication delay, the same key may be tried again")
    func delay() throws {
        var conversation = NTAG424Conversation()
        let random = bytes(Self.first[0].random)
        for _ in 0..<3 {
            _ = try conversation.authenticate(.application, factoryKey, random: random)
            #expect(throws: NTAG424Error(.refused(.authenticationDelayed))) {
                _ = try conversation.receive([0x91, 0xAD])
            }
        }
        try play(Self.first[0], isFirst: true, &conversation)
    }

    @Test("Authentication messages of the wrong length are malformed")
    func lengths() throws {
        let example = Self.first[0]
        for count in 0..<40 where count != 16 {
            var conversation = NTAG424Conversation()
            _ = try conversation.authenticate(
                .application, factoryKey, random: bytes(example.random))
            #expect(throws: NTAG424Error(.malformed)) {
                _ = try conversation.receive([UInt8](repeating: 2, count: count) + [0x91, 0xAF])
            }
        }
        for count in 0..<40 where count != 32 {
            var conversation = NTAG424Conversation()
            _ = try conversation.authenticate(
                .application, factoryKey, random: bytes(example.random))
            _ = try conversation.receive(bytes(example.challenge + "91AF"))
            #expect(throws: NTAG424Error(.malformed)) {
                _ = try conversation.receive([UInt8](repeating: 1, count: count) + [0x91, 0x00])
            }
        }
    }
}
