import ReaderDiagnosis
import Testing

@Suite("Readers that are plugged in")
struct ConnectedReaderTests {
    @Test("A reader is recognized by its USB numbers, with its place, name and node")
    func reader() throws {
        let readers = try FakeMachine(["acr122u"]).connected()
        let reader = try #require(readers.first)
        #expect(readers.count == 1)
        #expect(reader.model.make == "ACS ACR122U")
        #expect(reader.model.service == .libnfc("acr122_usb"))
        #expect(reader.bus == 1 && reader.address == 4 && reader.port == "1-2")
        #expect(reader.productText == "ACR122U PICC Interface")
        #expect(reader.node.path == "/dev/bus/usb/001/004")
        #expect(reader.node.access == .readAndWrite && reader.node.octalMode == "0664")
        #expect(reader.holders.isEmpty)
    }

    @Test("Readers are listed in the order of their places, without other devices")
    func several() throws {
        let machine = try FakeMachine(["scl3711", "acr122u", "rcs380", "acr1252u"])
        #expect(
            machine.connected().map(\.place) == [
                "001:004", "001:005", "001:006", "001:008",
            ])
        let survey = machine.survey()
        #expect(survey.bus == .present(deviceCount: 4))
    }

    @Test("A machine without USB is distinguished from one without readers")
    func nothing() throws {
        #expect(try FakeMachine(nil).survey().bus == .absent)
        let empty = try FakeMachine([]).survey()
        #expect(empty.bus == .present(deviceCount: 0))
        #expect(empty.readers.isEmpty && empty.ports.isEmpty)
    }

    @Test("A device that leaves during the survey is left out")
    func halfGone() throws {
        let machine = try FakeMachine(["acr122u", "scl3711"])
        try machine.remove("sys/devices/pci0000:00/0000:00:14.0/usb1/1-2/devnum")
        #expect(machine.connected().map(\.model.make) == ["SCM SCL3711"])
    }

    @Test(
        "Access to a node follows the permission bits that apply to the user",
        arguments: [
            (0o600, false, false), (0o660, true, false), (0o664, true, false),
            (0o666, true, true), (0o640, false, false), (0o606, false, true),
        ])
    func permission(_ mode: Int, _ group: Bool, _ others: Bool) throws {
        let machine = try FakeMachine(["acr122u"])
        let node = "/dev/bus/usb/001/004"
        try machine.setMode(of: node, mode)
        let member = Credentials(uid: 4_000_000, groups: [try machine.group(of: node)])
        for (who, may) in [(member, group), (FakeMachine.stranger, others)] {
            let reader = try #require(machine.connected(as: who).first)
            #expect(reader.node.access == (may ? .readAndWrite : .denied))
        }
        let root = Credentials(uid: 0, groups: [])
        #expect(machine.connected(as: root).first?.node.access == .readAndWrite)
    }

    @Test("A survey on its own lane equals a direct one")
    func lane() async throws {
        let machine = try FakeMachine(["acr122u", "ftdi"])
        #expect(await machine.discovery().survey() == machine.survey())
    }
}
