import ReaderDiagnosis
import Testing

@Suite("A reader that comes back under another number")
struct SuccessorTests {
    private static let (first, second): (ReaderName, ReaderName) = (
        "acr122_usb:001:004", "acr122_usb:001:005"
    )
    private static let new: ReaderName = "acr122_usb:001:009"

    /// A reader of libnfc, free unless a program holds it.
    private func row(_ name: ReaderName, isHeld: Bool = false) -> ReaderRow {
        ReaderRow(
            name: name, make: "ACR122U", driver: "libnfc",
            state: isHeld ? .held(.program(pid: 7, name: "tapcard")) : .ready, numbers: nil,
            node: nil)
    }

    @Test("The only free reader of its kind is the successor")
    func alone() {
        func found(_ rows: [ReaderRow]) -> ReaderName? {
            rows.successor(of: Self.first, nextTo: [])
        }
        #expect(found([row(Self.new)]) == Self.new)
        #expect(found([row(Self.new), row(Self.second, isHeld: true)]) == Self.new)
        #expect(found([row(Self.new), row("pn53x_usb:001:008")]) == Self.new)
        #expect(found([]) == nil)
        #expect(found([row(Self.new), row(Self.second)]) == nil)
        // It is there under its own name, whatever keeps it from being opened.
        #expect(found([row(Self.first), row(Self.new)]) == nil)
        #expect([row(Self.new)].successor(of: "pn532_uart:/dev/ttyUSB0", nextTo: []) == nil)
        #expect([row(Self.new)].successor(of: "pcsc:ACS", nextTo: []) == nil)
    }

    @Test("A reader that may belong to another till is not taken as the successor")
    func several() {
        func found(_ rows: [ReaderRow]) -> ReaderName? {
            rows.successor(of: Self.first, nextTo: [Self.second])
        }
        #expect(found([row(Self.second, isHeld: true), row(Self.new)]) == Self.new)
        #expect(found([row(Self.second), row(Self.new)]) == Self.new)
        // The other one came back earlier, under a number of its own.
        #expect(found([row("acr122_usb:001:008", isHeld: true), row(Self.new)]) == Self.new)
        #expect(found([row(Self.new)]) == nil)
        #expect(found([row(Self.new), row("acr122_usb:001:008")]) == nil)
        #expect(found([row(Self.second, isHeld: true)]) == nil)
    }

    @Test("Missing readers of another kind do not hold up the successor")
    func otherKind() {
        let others: [ReaderName] = ["pn532_uart:/dev/ttyUSB0", "pcsc:ACS ACR1252"]
        #expect([row(Self.new)].successor(of: Self.first, nextTo: others) == Self.new)
    }
}
