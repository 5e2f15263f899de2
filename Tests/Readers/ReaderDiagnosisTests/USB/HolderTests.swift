import ReaderDiagnosis
import Testing

@Suite("Holders of a reader")
struct HolderTests {
    private static let node = "/dev/bus/usb/001/004"

    private func holders(_ machine: FakeMachine) -> [ReaderHolder]? {
        machine.connected().first?.holders
    }

    @Test("A program that holds a reader is shown with its number and name")
    func program() throws {
        let machine = try FakeMachine(["acr122u-claimed"])
        try machine.run("sleep", as: 77, opening: ["/dev/null", "/dev/bus/usb/001/001"])
        try machine.run("nfc-poll", as: 4711, opening: ["/dev/null", Self.node, Self.node])
        #expect(holders(machine) == [.program(pid: 4711, name: "nfc-poll")])
    }

    @Test("Two programs that hold a reader are both shown")
    func programs() throws {
        let machine = try FakeMachine(["acr122u"])
        try machine.run("pcscd", as: 300, opening: [Self.node])
        try machine.run("nfc-poll", as: 20, opening: [Self.node])
        #expect(
            holders(machine) == [
                .program(pid: 20, name: "nfc-poll"), .program(pid: 300, name: "pcscd"),
            ])
    }

    @Test("A program that ends during the survey is still a holder, without its name")
    func ended() throws {
        let machine = try FakeMachine(["acr122u"])
        try machine.run("nfc-poll", as: 20, opening: [Self.node])
        try machine.remove("proc/20/comm")
        #expect(holders(machine) == [.program(pid: 20, name: "a program that has ended")])
    }

    @Test("The driver of a serial bridge is not a holder")
    func bridge() throws {
        #expect(holders(try FakeMachine(["ftdi"])) == [])
    }

    @Test("The socket shows that pcscd is available, and its process that it runs")
    func smartCards() throws {
        let machine = try FakeMachine([])
        #expect(machine.survey().smartCardService == .absent)
        try machine.listenForSmartCards()
        #expect(machine.survey().smartCardService == .onDemand)
        try machine.run("pcscd", as: 612)
        #expect(machine.survey().smartCardService == .running(pid: 612))
    }

    @Test("A process called pcscd without a socket is not the service")
    func namesake() throws {
        let machine = try FakeMachine([])
        try machine.run("pcscd", as: 612)
        #expect(machine.survey().smartCardService == .absent)
    }

    @Test("Control characters in a program's name are escaped")
    func controls() throws {
        let machine = try FakeMachine(["acr122u"])
        try machine.run("a\u{1B}[2J\nb", as: 20, opening: [Self.node])
        #expect(holders(machine) == [.program(pid: 20, name: #"a\u{1B}[2J\u{A}b"#)])
    }
}
