import PCSCReader
import Tags
import Testing

@Suite("Names of PC/SC readers")
struct ReaderNamesTests {
    static let names = [
        "ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] 00 00",
        "ACS ACR1252 Dual Reader [ACR1252 Dual Reader SAM] 00 01", "ACS ACR122U 00 00",
        "ACS ACR122U 00 00 (2)",
    ]

    @Test(
        "A part of a name chooses the only reader that has it, regardless of case",
        arguments: [
            "PICC", "picc", "reader picc] 00", "Dual Reader [ACR1252 Dual Reader PICC] 00 00",
        ])
    func part(wanted: String) throws {
        #expect(try ReaderNames.choose(wanted, among: Self.names) == [Self.names[0]])
    }

    @Test("A whole name chooses its reader, even if another name contains it")
    func whole() throws {
        #expect(try ReaderNames.choose("ACS ACR122U 00 00", among: Self.names) == [Self.names[2]])
    }

    @Test("A part shared by the slots of one reader chooses them all; shared by two, it is refused")
    func slots() throws {
        #expect(try ReaderNames.choose("1252", among: Self.names) == Array(Self.names.prefix(2)))
        let dual = ["00 00", "00 01", "00 02"].map { "ACS ACR1281 1S Dual Reader \($0)" }
        #expect(try ReaderNames.choose("acr1281", among: dual) == dual)
        #expect(try ReaderNames.choose(dual[1], among: dual) == [dual[1]])
        // Two readers of a make, each with its slots or interfaces.
        #expect(throws: ReaderError(.noReader)) {
            try ReaderNames.choose("acr1281", among: dual + ["ACS ACR1281 1S Dual Reader 01 00"])
        }
        let twin = "ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] 02 00"
        #expect(throws: ReaderError(.noReader)) {
            try ReaderNames.choose("1252", among: Self.names + [twin])
        }
    }

    @Test(
        "A name that several readers have, or none, is refused",
        arguments: ["ACS", "acs acr122u 00 00", "00 01 ", "SCM", " "])
    func refused(wanted: String) {
        #expect(throws: ReaderError(.noReader)) {
            try ReaderNames.choose(wanted, among: Self.names)
        }
    }

    @Test("An ambiguous name is refused with the readers it could mean, and no others")
    func ambiguous() throws {
        let error = try #require(throws: ReaderError.self) {
            try ReaderNames.choose("acr122u", among: Self.names)
        }
        #expect(error.detail.contains("“ACS ACR122U 00 00”, “ACS ACR122U 00 00 (2)”"))
        #expect(!error.detail.contains("ACR1252"))
    }

    @Test("An empty name is refused even if there is only one reader")
    func empty() {
        #expect(throws: ReaderError(.noReader)) {
            try ReaderNames.choose("", among: ["ACS ACR122U 00 00"])
        }
    }

    @Test("Every name is refused if there are no readers")
    func none() {
        #expect(throws: ReaderError(.noReader)) { try ReaderNames.choose("ACS", among: []) }
        #expect(throws: ReaderError(.noReader)) { try ReaderNames.choose("", among: []) }
    }
}
