import CardCryptography
import PN532Emulator
import SimulatedReader
import Tags
import Testing
import TextCodecs

@Suite("An NTAG 424 on the emulated chip")
struct EmulatedNTAG424Tests {
    private static let number: [UInt8] = [0x04, 0x51, 0x8D, 0xFA, 0xA9, 0x61, 0x80]
    private static let answerToSelect: [UInt8] = [0x06, 0x77, 0x77, 0x71, 0x02, 0x80]
    private static let select = CardCommand.selectApplication.plain.bytes
    private static let key = AESKey([UInt8](repeating: 0, count: AESKey.size))

    private func bench() throws -> EmulatorBench {
        var bench = EmulatorBench(Simulation())
        _ = try bench.control("present NTAG424")
        return bench
    }

    @Test("An NTAG 424 is listed with SAK 20h and ATQA 0344h, and activated on request")
    func listed() throws {
        var bench = try bench()
        let head: [UInt8] = [0x01, 0x01, 0x03, 0x44, 0x20, 0x07] + Self.number
        #expect(bench.send(EmulatorBench.list) == head + Self.answerToSelect)
        // A card that takes blocks hears no request any more, before it has lost its power.
        _ = bench.send([0x32, 0x01, 0x00])
        #expect(bench.send([0x12, 0x00]) == [])
        #expect(bench.send(EmulatorBench.list) == head)
        #expect(bench.send([0x42, 0xE0, 0x80]) == [0x00] + Self.answerToSelect)
    }

    /// Sends a command by InDataExchange, in parts of 60 bytes.
    private func exchange(_ command: [UInt8], _ bench: inout EmulatorBench) throws -> [UInt8] {
        var rest = command[...]
        while rest.count > 60 {
            #expect(bench.send([0x40, 0x41] + rest.prefix(60)) == [0x00])
            rest = rest.dropFirst(60)
        }
        var answer: [UInt8] = []
        var part = bench.send([0x40, 0x01] + rest) ?? []
        while part.first == 0x40 {
            answer += part.dropFirst()
            part = bench.send([0x40, 0x01]) ?? []
        }
        #expect(part.first == 0x00)
        return answer + part.dropFirst()
    }

    @Test("Commands and answers travel in parts, as InDataExchange marks them")
    func parts() throws {
        var bench = try bench()
        _ = bench.send(EmulatorBench.list)
        #expect(try exchange(Self.select, &bench) == [0x90, 0x00])
        let data = (0..<200).map { UInt8($0) }
        let write = CardCommand.writeData(.ndef, offset: 0, data: data).plain.bytes
        #expect(try exchange(write, &bench) == [0x91, 0x00])
        let read = CardCommand.readData(.ndef, offset: 0, length: 200).plain.bytes
        #expect(try exchange(read, &bench) == data + [0x91, 0x00])
        let chip = try #require(bench.emulation.simulation.chip(Self.number))
        #expect(Array(chip[.ndef].bytes.prefix(200)) == data)
        // A part of an answer that is not taken is gone with the next command.
        let first = bench.send([0x40, 0x01] + read)
        #expect(first?.first == 0x40)
        #expect(try exchange(Self.select, &bench) == [0x90, 0x00])
    }

    private func authenticate(
        _ conversation: inout NTAG424Conversation, _ bench: inout EmulatorBench
    ) throws {
        var step = try conversation.authenticate(
            .three, Self.key, random: [UInt8](repeating: 5, count: 16))
        while case .send(let command) = step {
            step = try conversation.receive(try exchange(command, &bench))
        }
    }

    @Test("An NTAG 424 that loses power keeps its files, and loses its application and its session")
    func memory() throws {
        var bench = try bench()
        var conversation = NTAG424Conversation()
        let version = CardCommand.getKeyVersion(.one).plain.bytes
        let write = CardCommand.writeData(.data, offset: 0, data: [7])
        _ = bench.send(EmulatorBench.list)
        #expect(try exchange(Self.select, &bench) == [0x90, 0x00])
        #expect(try exchange(version, &bench) == [0x00, 0x91, 0x00])
        try authenticate(&conversation, &bench)
        guard case .send(let protected) = try conversation.begin(write, file: .full) else {
            Issue.record("nothing was sent")
            return
        }
        #expect(try exchange(protected, &bench).suffix(2) == [0x91, 0x00])
        #expect(bench.send([0x32, 0x01, 0x00]) == [])
        _ = bench.send(EmulatorBench.list)
        #expect(try exchange(version, &bench) == [0x91, 0x40])
        #expect(try exchange(Self.select, &bench) == [0x90, 0x00])
        // The file takes a plain write from no one; in a session it would be an altered one.
        #expect(try exchange(write.plain.bytes, &bench) == [0x91, 0x9D])
        let chip = try #require(bench.emulation.simulation.chip(Self.number))
        #expect(chip[.data].bytes[0] == 7)
    }

    @Test("A write torn after authentication leaves the NTAG 424's file old or new")
    func torn() throws {
        for (fault, byte) in [("torn old", 0), ("torn new", 7), ("torn new-lowest 3", 0)]
            as [(String, UInt8)]
        {
            var bench = try bench()
            _ = bench.send(EmulatorBench.list)
            _ = try exchange(Self.select, &bench)
            var conversation = NTAG424Conversation()
            try authenticate(&conversation, &bench)
            _ = try bench.control("fault write 1 \(fault)")
            let write = CardCommand.writeData(
                .data, offset: 8, data: [UInt8](repeating: 7, count: 31))
            guard case .send(let command) = try conversation.begin(write, file: .full) else {
                Issue.record("nothing was sent")
                return
            }
            #expect(bench.send([0x40, 0x01] + command) == [0x01])
            let simulation = bench.emulation.simulation
            #expect(simulation.onReader.isEmpty)
            let chip = try #require(simulation.chip(Self.number))
            #expect(chip[.data].bytes[8..<39].allSatisfy { $0 == byte }, "\(fault)")
        }
    }

    /// The cards on the reader, as the status lists them.
    private func shown(_ bench: inout EmulatorBench) throws -> [JSONValue] {
        let tags = try bench.control("status").answer["tags"]?.array ?? []
        return tags.filter { $0["onReader"] == .bool(true) }
    }

    @Test("An added NTAG 424 is listed and dumped like the first, and a removed one is gone")
    func control() throws {
        var bench = try bench()
        _ = try bench.control("add NTAG424")
        let numbers = bench.emulation.simulation.chips.map(\.number)
        #expect(numbers.count == 2 && Set(numbers).count == 2 && numbers[0] == Self.number)
        let typed = numbers.map { Hexadecimal.encode($0) }
        let listed = typed.map { uid -> JSONValue in
            ["uid": .string(uid), "chip": "NTAG424", "onReader": .bool(true)]
        }
        #expect(try shown(&bench) == listed)
        for (number, text) in zip(numbers, typed) {
            let dump = try #require(try bench.control("dump \(text)").answer["dump"]?.string)
            #expect(NTAG424Memory(parsing: dump)?.number == number)
        }
        _ = try bench.control("remove \(typed[0])")
        #expect(try shown(&bench).map { $0["uid"] } == [.string(typed[1])])
        let head: [UInt8] = [0x01, 0x01, 0x03, 0x44, 0x20, 0x07] + numbers[1]
        #expect(bench.send(EmulatorBench.list) == head + Self.answerToSelect)
    }
}
