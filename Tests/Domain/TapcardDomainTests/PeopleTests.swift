@_spi(_Unicode) import Swift
import TapcardDomain
import Testing

@Suite("Ids of cardholders")
struct HolderIDTests {
    @Test(
        "A cardholder's id is a whole number from 1",
        arguments: [("1", 1), ("007", 7), ("9223372036854775807", .max)])
    func reads(text: String, number: Int64) throws {
        let id = try HolderID(parsing: text)
        #expect(id.number == number)
        #expect(id == (try HolderID(number)))
        #expect(try HolderID(parsing: id.description) == id)
    }

    @Test(
        "Text that is not a cardholder's id is refused with a short message",
        arguments: [
            "", "0", "000", "-1", "+1", "1.0", "1e3", " 1", "1 ", "1\n", "x", "0x1", "１", "٣",
            "9223372036854775808", String(repeating: "9", count: 1_000),
        ])
    func refuses(text: String) {
        let refusal = #expect(throws: Refusal(.badIdentifier, "")) { try HolderID(parsing: text) }
        #expect((refusal?.detail.count ?? .max) < 120)
    }

    @Test("A number below 1 is refused as a cardholder's id", arguments: [0, -1, Int64.min])
    func refuses(number: Int64) {
        #expect(throws: Refusal(.badIdentifier, "")) { try HolderID(number) }
    }

    @Test("Nobody has neither id nor name")
    func nobody() {
        #expect(Holder.nobody == Holder(id: nil, name: nil))
    }
}

@Suite("Names of cardholders")
struct HolderNameTests {
    @Test("A cardholder's name is kept as it is written", arguments: namesOfPeople)
    func takes(text: String) throws {
        let name = try HolderName(text)
        #expect(name.text.utf8.elementsEqual(text.utf8))
        #expect(name.description == text)
    }

    @Test(
        "A decomposed name is composed, so that two spellings give one seal",
        arguments: namesOfPeople)
    func composes(text: String) throws {
        let apart = String(String.UnicodeScalarView(text._nfd))
        let name = try HolderName(apart)
        #expect(name.text.utf8.elementsEqual(text.utf8))
        #expect(name == (try HolderName(text)))
        #expect(name.hashValue == (try HolderName(text)).hashValue)
    }

    @Test("At least ten of the names have a decomposed form that differs")
    func decomposed() {
        let changed = namesOfPeople.filter { !$0.unicodeScalars.elementsEqual($0._nfd) }
        #expect(changed.count >= 10)
    }

    @Test("Names that differ in one byte are different names")
    func equality() throws {
        #expect(try HolderName("Amanda") != HolderName("amanda"))
        #expect(try HolderName("Amanda") != HolderName("Amanda "))
    }

    @Test("Control characters, line separators and direction marks are refused in a name")
    func forbidden() {
        let ranges: [ClosedRange<UInt32>] = [
            0x00...0x1F, 0x7F...0x9F, 0x2028...0x2029, 0x202A...0x202E, 0x2066...0x2069,
        ]
        for scalar in ranges.joined().compactMap(Unicode.Scalar.init) {
            let refusal = #expect(throws: Refusal(.badName, "")) {
                try HolderName("Amanda\(scalar)Gonzalez")
            }
            #expect(refusal?.detail.contains("\"Amanda\u{FFFD}Gonzalez\"") == true)
        }
    }

    @Test(
        "Invisible characters that join or shape letters are accepted in a name",
        arguments: ["\u{200C}", "\u{200D}", "\u{200E}", "\u{AD}"])
    func allowed(mark: String) {
        #expect(throws: Never.self) { try HolderName("می\(mark)خواهم") }
    }

    @Test(
        "An empty or invisible name is refused",
        arguments: ["", " ", "   ", "\t", "\n", "\u{A0}", "\u{3000}", "\u{2028}"]
            + ["\u{200B}", "\u{200D}", "\u{2060} \u{AD}"])
    func empty(text: String) {
        let refusal = #expect(throws: Refusal(.badName, "")) { try HolderName(text) }
        #expect(refusal?.detail.contains("the name is empty") == true)
    }

    @Test("A cardholder's name has at most 160 bytes in its composed form")
    func length() throws {
        #expect(throws: Never.self) { try HolderName(String(repeating: "a", count: 160)) }
        #expect(throws: Never.self) { try HolderName(String(repeating: "e\u{301}", count: 80)) }
        for (text, excess) in [
            (String(repeating: "a", count: 161), "1 byte"),
            (String(repeating: "é", count: 81), "2 bytes"),
            (String(repeating: "山", count: 100_000), "299840 bytes"),
        ] {
            let refusal = #expect(throws: Refusal(.badName, "")) { try HolderName(text) }
            #expect(refusal?.detail.contains("the name is \(excess) too long; ") == true)
        }
    }
}

@Suite("Names of cashiers")
struct CashierNameTests {
    @Test("A cashier's name has one to forty characters in its composed form")
    func lengths() throws {
        #expect(try CashierName("A").text == "A")
        let longest = String(repeating: "é", count: CashierName.maximumLength)
        #expect(try CashierName(longest).text == longest)
        let decomposed = String(repeating: "e\u{301}", count: CashierName.maximumLength)
        #expect(try CashierName(decomposed) == CashierName(longest))
        #expect(throws: Refusal(.badName, "")) { try CashierName(longest + "x") }
    }

    @Test(
        "An invalid cashier's name is refused",
        arguments: ["", " ", "\t", "A\nB", "A\u{1B}[31m", "A\u{202E}B", "A\u{0}", "\u{FFFD}"])
    func refusals(_ text: String) {
        #expect(throws: Refusal(.badName, "")) { try CashierName(text) }
    }
}

@Suite("Look-alike names of cashiers")
struct CashierLikenessTests {
    @Test(
        "Names that differ only in case, spaces or invisible characters have one spelling",
        arguments: [
            ("Ann", "ann"), ("Ann Lee", "AnnLee"), ("Ann Lee", " Ann\u{2003}Lee "),
            ("Ann", "A\u{200D}nn"), ("ÉVA", "éva"), ("ΝΊΝΑ", "νίνα"),
        ])
    func spelling(one: String, other: String) throws {
        let (one, other) = (try CashierName(one), try CashierName(other))
        #expect(one.spelling == other.spelling && one.looksLike(other))
    }

    @Test(
        "Names with letters that look alike are recognized as look-alikes",
        arguments: [
            ("Ann", "\u{410}nn"), ("Bob", "\u{412}\u{43E}b"), ("Bob", "B0b"), ("Lil", "LiI"),
            ("Nina", "\u{39D}ina"), ("Eve", "\u{FF25}ve"), ("O'Hara", "O\u{2019}Hara"),
            ("Ann-Lee", "Ann\u{2013}Lee"), ("Al", "A1"),
        ])
    func shapes(one: String, other: String) throws {
        let (one, other) = (try CashierName(one), try CashierName(other))
        #expect(one.spelling != other.spelling && one.looksLike(other))
    }

    @Test(
        "Names with clearly different letters are not look-alikes",
        arguments: [
            ("Ann", "Anne"), ("Jose", "José"), ("Иван", "Ивана"), ("Cal", "Cai"), ("m", "n"),
        ])
    func differ(one: String, other: String) throws {
        let (one, other) = (try CashierName(one), try CashierName(other))
        #expect(one.spelling != other.spelling && !one.looksLike(other))
    }
}

/// Names of people as they are written in their languages, in Unicode's composed form.
let namesOfPeople = [
    "Amanda Gonzalez", "José Núñez", "Jürgen Müller", "Zoë Lefèvre", "Łukasz Żółć", "Žofie Černá",
    "Nguyễn Thị Ánh", "Björk Guðmundsdóttir", "Şükrü Öztürk", "Дмитрий Иванов", "Олена Ковальчук",
    "Γιώργος Παπαδόπουλος", "محمد علي", "فاطمة الزهراء", "שרה כהן", "山田太郎", "佐藤さくら",
    "김민준", "王小明", "अमित शर्मा",
]
