import TapcardDomain
import Testing

@Suite("Names of cashiers that people would take for one")
struct CashierLikenessTests {
    @Test(
        "differ in case, spaces or what cannot be seen",
        arguments: [
            ("Ann", "ann"), ("Ann Lee", "AnnLee"), ("Ann Lee", " Ann\u{2003}Lee "),
            ("Ann", "A\u{200D}nn"), ("ÉVA", "éva"), ("ΝΊΝΑ", "νίνα"),
        ])
    func spelling(one: String, other: String) throws {
        let (one, other) = (try CashierName(one), try CashierName(other))
        #expect(one.spelling == other.spelling && one.looksLike(other))
    }

    @Test(
        "have letters that look the same",
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
        "and these are two names",
        arguments: [
            ("Ann", "Anne"), ("Jose", "José"), ("Иван", "Ивана"), ("Cal", "Cai"), ("m", "n"),
        ])
    func differ(one: String, other: String) throws {
        let (one, other) = (try CashierName(one), try CashierName(other))
        #expect(one.spelling != other.spelling && !one.looksLike(other))
    }
}
