import CardCryptography
import OtherClients
import PN532Emulator
import SimulatedReader
import Tags
import Testing
import TextCodecs

@Suite("Other programs for an NTAG 424")
struct DNAClientTests {
    private static let number = "04518DFAA96180"

    private func run(
        _ words: [String], on emulator: EmulatedReader
    ) throws -> [String] {
        let device = try #require(emulator.devicePath)
        let ended = try Client.dna().run([device] + words)
        #expect(ended.status == 0, "\(ended.text)")
        return ended.text.split(separator: "\n").map(String.init)
    }

    private func chip(_ emulator: EmulatedReader) throws -> NTAG424Memory {
        try #require(emulator.simulation.chips.first)
    }

    private func start() throws -> EmulatedReader {
        var world = Simulation()
        let chip = try #require(world.addChip { [UInt8](repeating: 0, count: $0) })
        world.put([chip.number])
        return try EmulatedReader.start(world)
    }

    @Test("The pylibsdm library authenticates and changes settings and the application key")
    func pylibsdm() throws {
        let emulator = try start()
        defer { emulator.stop() }
        let key = "F3847D627727ED3BC9C4CC050489B966"
        let lines = try run(["pylibsdm", key], on: emulator)
        #expect(lines == ["size 32 0", "rights 00e4", "new key 256"])
        let chip = try chip(emulator)
        #expect(chip[.application].key == AESKey(Hexadecimal.decode(key) ?? []))
        #expect(chip[.application].version == 7)
        #expect(chip[.capability].settings.rights.write == .key(.four))
    }

    @Test("The sphragis library sets the mirrors and verifies the address of each tap")
    func sphragis() throws {
        let emulator = try start()
        defer { emulator.stop() }
        let lines = try run(["sphragis"], on: emulator)
        #expect(lines == ["settings 0000e0ee000100", "counter 2"])
        let verified = try run(["address"], on: emulator)
        let data = Hexadecimal.encode(0..<32)
        // Each selection of the file is a read of its own.
        #expect(
            verified.dropLast() == [
                "verified \(Self.number) 1 \(data)", "verified \(Self.number) 2 \(data)",
            ])
        let master = AESKey([UInt8](repeating: 0, count: AESKey.size))
        var made = KeyDiversification.key(from: master, input: Array(0..<18)).copyOfBytes()
        #expect(verified.last == "key \(Hexadecimal.encode(made))")
        Wiping.wipe(&made)
        #expect(try chip(emulator).reads == 2)
    }
}
