import ReaderDiagnosis
import Testing

@Suite("A survey for a named reader")
struct NamedReaderTests {
    private func survey(
        _ machine: FakeMachine, naming name: ReaderName?, answer: ReaderDiscovery.SmartCardAnswer
    ) async -> ReaderSurvey {
        await machine.discovery().survey(naming: name) { answer }
    }

    @Test("A missing path is distinguished from one that is not a serial port or not on the bus")
    func refusals() async throws {
        let machine = try FakeMachine(["acr122u"])
        try machine.link("dev/null", to: "/dev/null")
        try machine.link("dev/spidev0.0", to: "/dev/null")
        let file = "/dev/bus/usb/001/004"
        for (name, refusal) in [
            ("pn532_uart:/dev/null", ReaderSurvey.PathRefusal.noSerialPort("/dev/null")),
            ("pn532_uart:\(file)", .noSerialPort(file)),
            ("arygon:/dev/null:9600", .noSerialPort("/dev/null")),
            ("pn532_uart:/dev/ttyUSB9:115200", .missing("/dev/ttyUSB9")),
            ("acr122s:/dev/ttyUSB9", .missing("/dev/ttyUSB9")),
            ("pn532_i2c:/dev/i2c-9", .missing("/dev/i2c-9")),
            ("pn532_spi:/dev/spidev0.0:500000", .notOnBus("/dev/spidev0.0")),
            ("pn532_i2c:\(file)", .notOnBus(file)),
            ("acr122_usb:001:004", nil),
        ] {
            let asked = try #require(ReaderName(name))
            let survey = await survey(machine, naming: asked, answer: .readers([]))
            #expect(survey.pathRefusal == refusal, "\(name)")
            #expect(survey.ports.isEmpty, "\(name)")
        }
    }

    @Test(
        "A bus device is recognized by its class, whatever its name",
        arguments: MainboardBus.allCases)
    func bus(_ bus: MainboardBus) async throws {
        let machine = try FakeMachine([])
        // A character device that tests may have; the folder in sysfs puts it on the bus.
        try machine.link("dev/board", to: "/dev/null")
        try machine.addClass(bus.deviceClass, with: "null")
        let name: ReaderName = "\(bus.rawValue):/dev/board"
        let survey = await survey(machine, naming: name, answer: .readers([]))
        #expect(survey.pathRefusal == nil && survey.ports.isEmpty)
        #expect(survey.busNode?.path == "/dev/board")
        #expect(survey.busNode?.access == .readAndWrite)
        let other = try #require(MainboardBus.allCases.first { $0 != bus })
        let misnamed: ReaderName = "\(other.rawValue):/dev/board"
        let refused = await self.survey(machine, naming: misnamed, answer: .readers([]))
        #expect(refused.pathRefusal == .notOnBus("/dev/board") && refused.busNode == nil)
    }

    @Test("A terminal of any name is a serial port, shown with its holder")
    func port() throws {
        let machine = try FakeMachine([])
        // A character device that tests may have; the folder in sysfs makes it a terminal.
        try machine.link("dev/ttyS7", to: "/dev/null")
        try machine.link("sys/class/tty/null", to: "/dev/null")
        try machine.run("minicom", as: 12, opening: ["/dev/null"])
        guard case .port(let port) = machine.discovery().named("/dev/ttyS7") else {
            Issue.record("it is a port")
            return
        }
        #expect(port.name.text == "pn532_uart:/dev/ttyS7" && !port.isPseudoTerminal)
        #expect(port.holders == [.program(pid: 12, name: "minicom")])
    }

    @Test("A reader that pcscd takes when asked is shown as held by pcscd")
    func order() async throws {
        let machine = try FakeMachine(["acr122u"])
        try machine.listenForSmartCards()
        let name = "ACS ACR122U PICC Interface 00 00"
        let survey = await machine.discovery().survey(naming: nil) {
            do {
                try machine.run("pcscd", as: 612, opening: ["/dev/bus/usb/001/004"])
            } catch {
                return .refusal("\(error)")
            }
            return .readers([name])
        }
        #expect(
            survey.rows.map { "\($0.name?.text ?? "-"): \($0.state.text)" } == [
                "acr122_usb:001:004: held by pcscd", "pcsc:\(name): ready",
            ])
    }

    @Test("The survey asks pcscd only if its socket exists, and keeps its refusal")
    func asking() async throws {
        let machine = try FakeMachine(["acr1252u"])
        try machine.run("pcscd", as: 612)
        let without = await survey(machine, naming: nil, answer: .refusal("no"))
        #expect(without.smartCardRefusal == nil)
        try machine.listenForSmartCards()
        let refused = await survey(machine, naming: nil, answer: .refusal("no"))
        #expect(refused.smartCardRefusal == "no" && refused.smartCardReaders == nil)
        #expect(refused.rows.map(\.state) == [.unusablePCSCD])
    }
}
