import LibNFCReader
import Testing

@Suite("Commands and answers of the PN53x chips")
struct ChipTests {
    @Test("Commands have the bytes that the user manual gives")
    func commands() {
        #expect(ChipCommand.list(atMost: 2).bytes == [0x4A, 0x02, 0x00])
        #expect(ChipCommand.communicate([0x30, 0x04]).bytes == [0x42, 0x30, 0x04])
        #expect(
            ChipCommand.readRegisters(ChipRegister.allCases).bytes
                == [0x06, 0x63, 0x02, 0x63, 0x03])
        #expect(
            ChipCommand.writeRegisters([(.transmitMode, 0x00), (.receiveMode, 0x08)]).bytes
                == [0x08, 0x63, 0x02, 0x00, 0x63, 0x03, 0x08])
    }

    @Test("Register values are read with a PN533's leading status and without one")
    func registers() {
        #expect(ChipRegister.values([0x80, 0x88], count: 2) == [0x80, 0x88])
        #expect(ChipRegister.values([0x00, 0x80, 0x88], count: 2) == [0x80, 0x88])
        #expect(ChipRegister.values([0x01, 0x80, 0x88], count: 2) == nil)
        #expect(ChipRegister.values([0x80], count: 2) == nil)
        #expect(ChipRegister.values([], count: 2) == nil)
    }

    @Test(
        "A firmware answer tells which chip it comes from",
        arguments: [
            ([0x32, 0x01, 0x06, 0x07], "PN532 1.6"), ([0x33, 0x02, 0x07, 0x07], "PN533 2.7"),
            ([0x04, 0x02], "PN531 4.2"),
        ] as [([UInt8], String)])
    func firmware(answer: [UInt8], text: String) {
        #expect(Firmware(answer)?.description == text)
        #expect(Firmware(answer)?.isPN531 == (answer.count == 2))
    }

    @Test("An answer of any other length is not a firmware version", arguments: [0, 1, 3, 5])
    func noFirmware(length: Int) {
        #expect(Firmware([UInt8](repeating: 0x32, count: length)) == nil)
    }
}
