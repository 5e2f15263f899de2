import CardCryptography
import Cards
import Tags
import TapcardDomain
import Testing

@Suite("Cards on an NTAG 424")
struct NTAG424CardTests {
    private static let old = NTAG424Bench.masters(1)
    private static let new = NTAG424Bench.masters(2)
    private let address: AddressFile
    private let grant: Grant

    init() throws {
        address = try AddressFile(page: "https://cards.example.org/c")
        grant = try #require(Grant(5_000))
    }

    private func making(_ keys: CardKeys) -> PersonalizeNTAG424 {
        PersonalizeNTAG424(
            PersonalizeNTAG424.Plan(
                uid: NTAG424Bench.uid, currency: .usd, address: address,
                from: [.factory] + [Self.old, Self.new].map(NTAG424Bench.keys),
                to: NTAG424Bench.keys(keys), grant: grant),
            random: NTAG424Bench.random(PersonalizeNTAG424.randomByteCount))
    }

    private func looking(_ keys: CardKeys = old, _ address: AddressFile? = nil) -> ReadNTAG424 {
        ReadNTAG424(
            NTAG424Bench.selling(keys), address ?? self.address, random: NTAG424Bench.random(16))
    }

    /// A change to the state with this number.
    private func change(
        _ number: UInt32, to balance: Int64, in visit: NTAG424State
    ) throws -> UpdateNTAG424.Change {
        let record = try NTAG424Bench.record(number, balance, Self.old)
        let last = visit.slots.slots.compactMap { $0?.record }.max { $0[3] < $1[3] }
        return try #require(
            UpdateNTAG424.Change(
                record, balance: balance, to: Int(number) % 4, granted: visit.grant,
                spent: visit.slots.spent(at: last)))
    }

    private func updating(
        _ change: UpdateNTAG424.Change, in visit: NTAG424State, isLoading: Bool = true
    ) throws -> UpdateNTAG424 {
        try #require(
            UpdateNTAG424(
                change, in: visit,
                loadKey: isLoading ? NTAG424Bench.keys(Self.old)[.four] : nil,
                random: NTAG424Bench.random(32)))
    }

    /// A card with its first state, which has number 1.
    private func made() throws -> NTAG424Bench {
        var chip = NTAG424Bench()
        try chip.run(making(Self.old))
        let visit = try chip.run(looking())
        #expect(visit.slots.slots.allSatisfy { $0 == nil })
        try chip.run(updating(try change(1, to: 5_000, in: visit), in: visit), from: chip.side)
        return chip
    }

    private func balance(_ chip: inout NTAG424Bench) throws -> Int64 {
        let visit = try chip.run(looking())
        let newest = try #require(
            visit.slots.slots.compactMap { $0 }.max { $0.record[3] < $1.record[3] })
        let record = try #require(SealedRecord(newest.record))
        #expect(try #require(visit.grant).granted - newest.spent >= Int64(record.balance))
        return Int64(record.balance)
    }

    /// The distinct memories after one fault at any command of the procedure.
    private func afterFaults(
        _ start: NTAG424Bench, _ procedure: PersonalizeNTAG424
    ) throws -> [NTAG424Memory] {
        var whole = start
        try whole.run(procedure)
        #expect(whole.commands.allSatisfy { $0.count <= 61 })
        var found: [NTAG424Memory] = []
        for place in whole.commands.indices {
            for fault in NTAG424Bench.Fault.allCases {
                var chip = start
                #expect(throws: NTAG424CardError.self) {
                    try chip.run(procedure, at: place, fault)
                }
                if !found.contains(chip.memory) { found.append(chip.memory) }
            }
        }
        return found
    }

    @Test("An interrupted key change leaves state and grant readable with the old or new keys")
    func halfChanged() throws {
        let start = try made()
        for state in try afterFaults(start, making(Self.new)) {
            var chip = start
            chip.memory = state
            let answers = try chip.run(InspectNTAG424(.keys))
            #expect(chip.commands.count == 3)
            let (now, other) =
                answers.sellingVersion == 2 ? (Self.old, Self.new) : (Self.new, Self.old)
            let visit = try chip.run(
                ReadNTAG424(
                    NTAG424Bench.selling(now), or: [NTAG424Bench.selling(other)], address,
                    random: NTAG424Bench.random(16)))
            #expect(visit.grant == grant)
            #expect(visit.slots.slots[1]?.record == (try NTAG424Bench.record(1, 5_000, Self.old)))
        }
    }

    @Test("A payment takes six commands and is either written or not, whatever fault occurs")
    func payment() throws {
        let ready = try made()
        for place in -1..<1 {
            for fault in NTAG424Bench.Fault.allCases {
                var chip = ready
                let visit = try chip.run(looking())
                #expect(chip.commands.count == 5)
                let payment = try updating(
                    try change(2, to: 4_550, in: visit), in: visit, isLoading: false)
                do {
                    try chip.run(payment, from: chip.side, at: place, fault)
                    #expect(place < 0)
                } catch let error as NTAG424CardError {
                    #expect(
                        place == 0
                            && error.kind
                                == .unknown(fault == .lostBefore ? .timedOut : .tagLost)
                    )
                }
                #expect(chip.commands.count == 1 && chip.commands[0].count <= 61)
                let isWritten = place < 0 || fault == .lostAfter
                #expect(try balance(&chip) == (isWritten ? 4_550 : 5_000))
            }
        }
    }

    @Test("A top-up needs the load key, but restoring a voided payment does not")
    func withoutLoadKey() throws {
        var chip = try made()
        let visit = try chip.run(looking())
        let more = try change(2, to: 5_001, in: visit)
        #expect(UpdateNTAG424(more, in: visit, loadKey: nil, random: []) == nil)
        // 450 of the payment were never confirmed, so the balance before it needs no new grant.
        let record = try NTAG424Bench.record(3, 5_000, Self.old)
        let back = try #require(
            UpdateNTAG424.Change(record, balance: 5_000, to: 2, granted: visit.grant, spent: 0))
        #expect(back.grant == nil && back.slot.spent == 0)
        #expect(
            UpdateNTAG424.Change(
                record, balance: 1, to: 2, granted: visit.grant, spent: Grant.maximum)
                == nil)
    }

    @Test("A card with a different address takes two more commands to read")
    func otherAddress() throws {
        var chip = try made()
        let other = try AddressFile(page: "https://another.example.net/cards/c")
        let visit = try chip.run(looking(Self.old, other))
        #expect(chip.commands.count == 7)
        #expect(visit.grant == grant)
        let payment = try updating(try change(2, to: 4_000, in: visit), in: visit, isLoading: false)
        try chip.run(payment, from: chip.side)
        #expect(try balance(&chip) == 4_000)
    }

    @Test("A flipped bit in any command or answer leaves the card with the old or new balance")
    func flipped() throws {
        let ready = try made()
        var sizes: [Int] = []
        var lengths: [Int] = []
        /// A reading and a top-up, with commands and answers altered by their common index.
        func tap(
            _ chip: inout NTAG424Bench, alter: @escaping (Int, [UInt8]) -> [UInt8],
            send: @escaping (Int, [UInt8]) -> [UInt8] = { $1 }
        ) throws {
            let visit = try chip.run(looking(), alter: alter, send: send)
            let change = try change(2, to: 5_700, in: visit)
            let count = chip.commands.count
            try chip.run(
                updating(change, in: visit), from: chip.side,
                alter: { alter($0 + count, $1) }, send: { send($0 + count, $1) })
        }
        var whole = ready
        try tap(&whole) {
            sizes.append($1.count)
            return $1
        } send: {
            lengths.append($1.count)
            return $1
        }
        #expect(sizes.count == 11)
        for (place, size) in sizes.enumerated() {
            for bit in 0..<(size * 8) {
                var chip = ready
                _ = try? tap(&chip) { $0 == place ? NTAG424Bench.flipping(bit, in: $1) : $1 }
                #expect([5_000, 5_700].contains(try balance(&chip)))
            }
        }
        for (place, length) in lengths.enumerated() {
            for bit in 0..<(length * 8) {
                var chip = ready
                _ = try? tap(&chip) {
                    $1
                } send: {
                    $0 == place ? NTAG424Bench.flipping(bit, in: $1) : $1
                }
                #expect([5_000, 5_700].contains(try balance(&chip)))
            }
        }
    }

    @Test("A card with unknown keys or another UID is refused")
    func refusals() throws {
        var chip = try made()
        let plan = PersonalizeNTAG424.Plan(
            uid: NTAG424Bench.uid, currency: .usd, address: address, from: [.factory],
            to: NTAG424Bench.keys(Self.new), grant: grant)
        let random = NTAG424Bench.random(PersonalizeNTAG424.randomByteCount)
        #expect(throws: NTAG424CardError(.unknownKeys(version: 2), "")) {
            try chip.run(PersonalizeNTAG424(plan, random: random))
        }
        #expect(chip.commands.count == 2)
        var other = NTAG424Bench()
        let uid = try #require(CardUID(bytes: [4, 9, 9, 9, 9, 9, 9]))
        let wrong = PersonalizeNTAG424.Plan(
            uid: uid, currency: .usd, address: address, from: [.factory],
            to: NTAG424CardKeys(Self.old, uid: uid), grant: grant)
        #expect(throws: NTAG424CardError(.otherCard, "")) {
            try other.run(PersonalizeNTAG424(wrong, random: random))
        }
        #expect(other.memory.files == NTAG424Bench().memory.files)
    }

    @Test("The address a phone reads is proved by the keys of the customer page")
    func phone() throws {
        var chip = try made()
        let keys = NTAG424Bench.keys(Self.old)
        for count in 1...2 {
            let answers = try chip.run(InspectNTAG424(.all))
            #expect(answers.message.count + 2 == address.byteCount)
            chip.side = NTAG424Side()
            _ = chip.send(CardCommand.selectApplication.plain.bytes)
            let file = chip.send(
                CardCommand.readData(.ndef, offset: 0, length: address.byteCount).plain.bytes)
            func text(_ place: Int, _ count: Int) -> String {
                String(decoding: file[place..<(place + count)], as: UTF8.self)
            }
            let message = try TapMessage(
                identity: text(address.identityAt, 32), data: text(address.grantAt, 64),
                code: text(address.codeAt, 16))
            let content = try message.verify(metaKey: keys[.one]) { _ in keys[.two] }
            #expect(content.identity.uid == NTAG424Bench.uid)
            #expect(Int(content.identity.reads) >= count)
            #expect(
                Grant(content.fileData.prefix(32).map { $0 }, for: NTAG424Bench.selling(Self.old))
                    == grant)
        }
    }
}
