import ReaderDiagnosis
import Testing

@Suite("Serial ports")
struct SerialPortTests {
    @Test("A port on a bridge in the table names the bridge")
    func bridge() throws {
        let machine = try FakeMachine(["ftdi"])
        try machine.setMode(of: "/dev/ttyUSB0", 0o660)
        let port = try #require(machine.serialPorts().first)
        #expect(port.name.text == "pn532_uart:/dev/ttyUSB0")
        #expect(port.bridge?.numbers == "0403:6001")
        #expect(port.node.access == .readAndWrite && port.holders.isEmpty)
        let denied = machine.serialPorts(as: FakeMachine.stranger)
        #expect(denied.first?.node.access == .denied)
    }

    @Test("Mainboard ports and terminals are left out, except a Raspberry Pi's header")
    func names() throws {
        let machine = try FakeMachine([])
        for name in ["ttyS0", "tty1", "ttyAMA0", "ttyACM1", "ttyprintk"] {
            try machine.link("dev/\(name)", to: "/dev/null")
        }
        #expect(
            machine.serialPorts().map(\.node.path) == ["/dev/ttyACM1", "/dev/ttyAMA0"])
        try machine.link("dev/serial0", to: "ttyAMA0")
        #expect(
            machine.serialPorts().map(\.node.path) == ["/dev/ttyACM1", "/dev/serial0"])
        #expect(machine.serialPorts().allSatisfy { $0.bridge == nil })
    }

    @Test("A program on a port is found, also if the port has the header's name")
    func holder() throws {
        let machine = try FakeMachine(["ftdi"])
        try machine.link("dev/ttyAMA0", to: "/dev/null")
        try machine.link("dev/serial0", to: "ttyAMA0")
        try machine.run("minicom", as: 12, opening: ["/dev/ttyUSB0"])
        try machine.run("gpsd", as: 13, opening: ["/dev/ttyAMA0"])
        #expect(
            machine.serialPorts().map(\.holders) == [
                [.program(pid: 12, name: "minicom")], [.program(pid: 13, name: "gpsd")],
            ])
    }
}
