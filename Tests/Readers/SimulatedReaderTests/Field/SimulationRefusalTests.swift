import SimulatedReader
import Tags
import Testing

@Suite("Invalid text of a simulation")
struct SimulationRefusalTests {
    /// A change to the text of a simulation, and part of the reason for its refusal.
    struct Case: Sendable, CustomTestStringConvertible {
        let old: String
        let new: String
        let reason: String

        init(_ old: String, _ new: String, _ reason: String) {
            self.old = old
            self.new = new
            self.reason = reason
        }

        var testDescription: String { new.debugDescription }
    }

    private static let heading = "tapcard simulation 1\n"
    private static let lying = "on-reader: 04112233445566\n"
    private static let fault = "fault: write 3 lost\n"

    static let headings = [
        "", "\n\(heading)", "# first\n\(heading)", "\u{FEFF}\(heading)", " \(heading)",
        "tapcard simulation 2\n", "tapcard simulation\n", "tapcard simulation 1 \n",
        "tapcard simulation 1\r\n", "Tapcard simulation 1\n",
    ].map { Case(heading, $0, "is not a tapcard simulation") }

    static let unexpectedLines =
        [
            lying + lying, lying + "on-reader: none\n", "on-reader:\n", "on-reader\n",
            "on-reader: \n", "on-reader:04112233445566\n", "On-reader: none\n",
            " on-reader: none\n", "reader: none\n", lying + "hello\n", lying + ": \n",
        ].map { Case(lying, $0, "unexpected line") }
        + [fault + fault, "fault:\n", "fault: \n", fault + "page 00: 00 00 00 00\n"].map {
            Case(fault, $0, "unexpected line")
        }

    static let fields = [
        Case("last-tag: 04112233445566\n", "", "has no line"),
        Case("last-tag: 04112233445566\n", "last-tag: 04112233445567\n", "missing from the file"),
        Case(lying, "", "has no line"), Case(fault, "", "has no line"),
        Case(lying + fault, "", "has no line"),
        Case(lying, "on-reader: XX\n", "is not a UID"),
        Case(lying, "on-reader: 0411223344556\n", "is not a UID"),
        Case(lying, "on-reader: none none\n", "is not a UID"),
        Case(lying, "on-reader: 04112233445566,04AC6B72BA6C80\n", "is not a UID"),
        Case(lying, "on-reader: 041122334455\n", "missing from the file"),
        Case(lying, "on-reader: 04112233445567\n", "missing from the file"),
        Case(lying, "on-reader: 04112233445566 04112233445566\n", "listed twice"),
        Case(fault, "fault: write 3\n", "the fault \"write 3\" is unknown"),
        Case(fault, "fault: None\n", "the fault \"None\" is unknown"),
        Case(fault, "fault: write 3 lost \n", "the fault"),
        Case(fault, "fault: write 3 lost\r\n", "the fault"),
    ]

    static let tags = [
        Case("uid: 04112233445566", "uid: 04AC6B72BA6C80", "tag 2 in the simulation"),
        Case("tapcard tag 1\nchip: NTAG215", "tapcard tag 2\nchip: NTAG215", "tag 2"),
        Case("chip: NTAG213\n", "chip: NTAG212\n", "tag 1"),
        Case("chip: NTAG213\n", "", "tag 1"),
        Case("page 2C: 00 00 00 00\n\n", "\n", "tag 1"),
        Case("page 2C: 00 00 00 00\n\n", "page 2C: 00 00 00 00\n\nhello\n\n", "tag 1"),
        Case("page 05: 34 03 00 FE\n", "page 05: -- -- -- --\n", "tag 1"),
        Case("page 05: 34 03 00 FE\n", "page 05: 34 03 00\n", "tag 1"),
        Case("page 05: 34 03 00 FE\n", "", "tag 1"),
        Case("page 05: 34 03 00 FE\n", "\npage 05: 34 03 00 FE\n", "tag 1"),
        Case("page 00: 04 AC 6B 4B\n", "page 00: 04 AC 6B 4C\n", "tag 1"),
    ]

    private static func text() throws -> String {
        var simulation = try FieldWorld.twoTags()
        simulation.fault = Fault(at: 3, counting: .write, .lost)
        return simulation.text
    }

    @Test(
        "Invalid text is refused with the reason",
        arguments: headings + unexpectedLines + fields + tags)
    func refuses(_ change: Case) throws {
        let text = try Self.text()
        let parts = text.split(separator: change.old, omittingEmptySubsequences: false)
        try #require(parts.count == 2, "the change has to be one")
        let error = #expect(throws: ReaderError(.noReader)) {
            try Simulation(parsing: parts.joined(separator: change.new))
        }
        #expect(error?.detail.contains(change.reason) == true, "\(String(describing: error))")
    }

    @Test("Text that is cut off anywhere is refused")
    func truncations() throws {
        var simulation = try FieldWorld.oneTag()
        simulation.fault = Fault(at: 3, counting: .write, .lost)
        let text = simulation.text
        let bytes = Array(text.utf8)
        for count in 0..<bytes.count - 1 {
            #expect(throws: ReaderError(.noReader), "\(count) bytes") {
                try Simulation(parsing: String(decoding: bytes[..<count], as: UTF8.self))
            }
        }
        // Only the end of the last line may be missing.
        #expect(try Simulation(parsing: String(text.dropLast())) == simulation)
    }

    @Test("Text with a wrong byte is refused, or its simulation is read back unchanged")
    func damaged() throws {
        let bytes = Array(try FieldWorld.oneTag().text.utf8)
        for index in bytes.indices {
            for value in [0x0A, 0x31, 0xFF] as [UInt8] {
                var damaged = bytes
                damaged[index] = value
                let text = String(decoding: damaged, as: UTF8.self)
                guard let simulation = try? Simulation(parsing: text) else { continue }
                #expect(try Simulation(parsing: simulation.text) == simulation)
            }
        }
    }
}
