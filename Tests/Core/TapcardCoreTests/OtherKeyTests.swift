import BlockingLane
import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// Cards that prove to be genuine with their sell key but refuse another of their keys.
@Suite("An NTAG 424 that refuses one of its keys")
struct OtherKeyTests: ProvenCards {
    /// A reader that damages the first `most` proofs of a key and answers them as `lie` says.
    private func spoiling(
        _ number: KeyNumber, on world: World, most: Int = .max, _ lie: SpoiltProof.Lie = .refusal
    ) -> InterposedReader {
        SpoiltProof(number, most: most, lie).reader(on: world)
    }

    private func failures(_ number: KeyNumber, _ world: World) async throws -> Int {
        Int(try await chip(world)[number].failures)
    }

    @Test("A top-up that the card cannot take is reported as recorded in the ledger")
    func topUp() async throws {
        let world = try await made()
        let uid = try await chip(world).uid
        // Another value under the same version.
        try await put(
            try altering(try await chip(world), ["key-4": "\(Self.strange) 2 0 0 0"]), on: world)
        for times in 1...2 {
            let error = try #require(
                await outcome { () throws(TapcardError) in
                    try await world.station.add(World.usd(500), id: World.id(2))
                }.failure)
            #expect(error.kind == .outcomeUnknown && error.result.exitStatus == 6)
            #expect(error.operation == World.id(2))
            #expect(error.what.contains("refused key number 4 twice"), "\(error)")
            #expect(error.meaning.contains("The ledger has recorded the"), "\(error)")
            // To repeat the request cannot help.
            #expect(error.next == [.trust(.replace(uid))])
            #expect(try await failures(.four, world) == 2 * times)
        }
        #expect(try await world.ledger.operation(World.id(2))?.state == .pending)
        try await expectReplaced(world, 1_500)
    }

    @Test("A payment that changes the card's keys is voided if the card refuses key 0")
    func payment() async throws {
        let world = try await made()
        let uid = try await chip(world).uid
        try await put(
            try altering(try await chip(world), ["key-0": "\(Self.strange) 2 0 0 0"]), on: world)
        let before = try await chip(world)
        let station = world.station(keys: Self.rotated)
        let error = try #require(
            await outcome { () throws(TapcardError) in
                try await station.pay(World.usd(250), id: World.id(2))
            }.failure)
        #expect(error.kind == .unusableTag && error.result.exitStatus == 4, "\(error)")
        #expect(error.what.contains("refused key number 0 twice"))
        #expect(
            error.meaning.contains(
                "The payment was not taken.") && error.next == [.trust(.replace(uid))])
        #expect(try await world.ledger.operation(World.id(2))?.state == .voided)
        #expect(try await chip(world).files == before.files)
        #expect(try await failures(.application, world) == 2)
        #expect(try await station.read().balance == World.usd(1_000))
        try await expectReplaced(world, 1_000)
    }

    @Test("A payment is voided if the card refuses its new keys", arguments: [1, 4])
    func newKeys(_ number: Int) async throws {
        let world = try await made()
        let uid = try await chip(world).uid
        try await put(
            try altering(try await chip(world), ["key-\(number)": "\(Self.strange) 2 0 0 0"]),
            on: world)
        let station = world.station(keys: Self.rotated)
        let error = try #require(
            await outcome { () throws(TapcardError) in
                try await station.pay(World.usd(250), id: World.id(2))
            }.failure)
        #expect(error.kind == .unusableTag && error.result.exitStatus == 4, "\(error)")
        #expect(error.what.contains("refused its newly set keys twice"), "\(error)")
        #expect(
            error.meaning.contains(
                "The payment was not taken.") && error.next == [.trust(.replace(uid))])
        #expect(try await world.ledger.operation(World.id(2))?.state == .voided)
        #expect(try await station.read().balance == World.usd(1_000))
        try await expectReplaced(world, 1_000)
    }

    @Test("A payment that changes the card's keys is voided if key 0 is dead")
    func lockedKey() async throws {
        let world = try await made()
        let text = try await chip(world).text
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("key-0: ") })
        let words = line.split(separator: " ")
        try await put(
            try altering(
                try await chip(world), ["key-0": "\(words[1]) \(words[2]) 1000 0 0"]), on: world)
        let error = try #require(
            await outcome { () throws(TapcardError) in
                try await world.station(keys: Self.rotated).pay(World.usd(250), id: World.id(2))
            }.failure)
        #expect(error.kind == .unusableTag && error.result.exitStatus == 4, "\(error)")
        #expect(error.what.contains("Key 0 of the card is permanently blocked"))
        #expect(error.meaning.contains("The payment was not taken."))
        #expect(try await world.ledger.operation(World.id(2))?.state == .voided)
        try await expectReplaced(world, 1_000)
    }

    @Test(
        "A tap goes on after one damaged proof of a key",
        arguments: [KeyNumber.application, .four])
    func oneDamaged(_ number: KeyNumber) async throws {
        let world = try await made()
        let station = world.station(
            reader: spoiling(number, on: world, most: 1),
            keys: number == .four ? nil : Self.rotated)
        if number == .four {
            _ = try await station.add(World.usd(500), id: World.id(2))
        } else {
            _ = try await station.pay(World.usd(500), id: World.id(2))
        }
        try await expectWhole(
            world, number == .four ? 1_500 : 500, keyID: number == .four ? 1 : 2)
    }

    @Test(
        "No tap spends more than two attempts on any key, whatever answers it gets",
        arguments: SpoiltProof.Lie.allCases, KeyNumber.allCases)
    func bound(_ lie: SpoiltProof.Lie, _ number: KeyNumber) async throws {
        for request in 0..<4 {
            let world = request == 3 ? try factory() : try await made()
            let reader = spoiling(number, on: world, lie)
            let station = world.station(
                reader: reader, keys: request == 2 ? Self.rotated : nil)
            let cardRequest = try CardRequest.demo(in: .usd)
            let result = await outcome { () throws(TapcardError) in
                switch request {
                case 0: _ = try await station.pay(World.usd(250), id: World.id(2))
                case 1, 2: _ = try await station.add(World.usd(250), id: World.id(2))
                default: _ = try await station.make(cardRequest, id: World.id(2))
                }
            }
            let label: Comment = "\(lie), request \(request): \(result)"
            for key in try await chip(world).keys { #expect(key.failures <= 2, label) }
            await world.reader.release()
            // The line is good again.
            if request < 3 {
                let good = world.station(keys: request == 2 ? Self.rotated : nil)
                #expect(try await good.read().problem == nil, label)
                if let status = result.result?.exitStatus, status != 6 {
                    #expect(try await good.read().balance == World.usd(1_000), label)
                }
            }
        }
    }

    @Test("A copy with another key version costs two attempts a tap, even if an answer is lost")
    func copyWithLostAnswer() async throws {
        for lie in [SpoiltProof.Lie.lost, .garbled] {
            let world = try await made()
            let station = world.station(keys: Self.rotated)
            try await put(
                try altering(try await chip(world), ["key-3": "\(Self.strange) 3 0 0 0"]),
                on: world)
            let reader = SpoiltProof(.three, most: 1, lie, isChanging: false).reader(on: world)
            let result = await outcome { () throws(TapcardError) in
                try await world.station(reader: reader, keys: Self.rotated).pay(
                    World.usd(250), id: World.id(2))
            }
            #expect(!result.isSuccess)
            #expect(try await failures(.three, world) == 2)
            // The next tap is not disturbed. Two keys were refused, none of them twice.
            await world.reader.release()
            await expectRefused(.keyMissing, exit: 7) { () throws(TapcardError) in
                try await station.pay(World.usd(250), id: World.id(3))
            }
            #expect(try await failures(.three, world) == 4)
        }
    }

    @Test("A copy of a card with an open top-up is detected, and the ledger keeps the top-up")
    func copyAfterwards() async throws {
        let world = try await made()
        let honest = try await chip(world)
        try await world.arm(Fault(at: 1, counting: .write, .lost))
        await expectRefused(.outcomeUnknown, exit: 6) { () throws(TapcardError) in
            try await world.station.add(World.usd(500), id: World.id(2))
        }
        try await put(try altering(honest, ["key-3": "\(Self.strange) 2 0 0 0"]), on: world)
        let error = try #require(
            await outcome { () throws(TapcardError) in
                try await world.station.add(World.usd(500), id: World.id(2))
            }.failure)
        #expect(error.kind == .copied && error.result.exitStatus == 7)
        #expect(error.what.contains("\(World.id(2)) is still open"), "\(error)")
        #expect(error.meaning.hasPrefix("The top-up is recorded in the ledger"), "\(error)")
        #expect(error.next == [.trust(.keepCopy)])
        // A new request was never begun.
        await expectRefused(.copied, exit: 7) { () throws(TapcardError) in
            try await world.station.add(World.usd(500), id: World.id(3))
        }
        try await put(honest, on: world)
        #expect(try await world.station.read().balance == World.usd(1_500))
        try await expectWhole(world, 1_500)
    }
}

/// An attacker on the line who damages the proofs of one key.
struct SpoiltProof: Sendable {
    /// The answer to a damaged proof.
    enum Lie: CaseIterable, Sendable {
        /// The chip's own refusal.
        case refusal
        /// No answer.
        case lost
        /// An answer that no chip gives.
        case garbled
        /// The chip's refusal, followed by garbled answers about its key versions.
        case questions
        /// The refusal of a dead key.
        case dead
    }

    let number: KeyNumber
    let most: Int
    let lie: Lie
    let isChanging: Bool

    /// Without `isChanging`, a proof arrives as it was sent, and only its answer is changed.
    init(_ number: KeyNumber, most: Int = .max, _ lie: Lie, isChanging: Bool = true) {
        (self.number, self.most, self.lie, self.isChanging) = (number, most, lie, isChanging)
    }

    func reader(on world: World) -> InterposedReader {
        let key = Guarded(UInt8.max)
        let count = Guarded(0)
        return InterposedReader(
            world.reader,
            command: { command, reader throws(ReaderError) in
                let opcode = NTAG424Opcode(rawValue: command[1])
                if opcode == .authenticateFirst || opcode == .authenticateNext {
                    key.withLock { $0 = command[5] }
                }
                if lie == .questions, opcode == .getKeyVersion, count.withLock({ $0 }) > 0 {
                    _ = try await reader.exchange(command: command)
                    return [0x91]
                }
                // A short one asks for parts of an answer.
                guard opcode == .more, command.count > 20,
                    key.withLock({ $0 }) == UInt8(number.rawValue),
                    count.withLock({ count in
                        count += 1
                        return count <= most
                    })
                else { return try await reader.exchange(command: command) }
                var damaged = command
                if isChanging { damaged[20] ^= 1 }
                let answer = try await reader.exchange(command: damaged)
                switch lie {
                case .refusal, .questions: return answer
                case .lost: throw ReaderError(.tagLost)
                case .garbled: return [0x91]
                case .dead: return [0x91, 0x9D]
                }
            })
    }
}
