import BlockingLane
import CardCryptography
import Cards
import FaultyWorld
import Ledger
import PortDoubles
import Tags
import TapcardCore
import TapcardDomain

// People who want what is not theirs, and people who break things.
extension Town {
    /// Makes a tap that must have no effect: no success and no money moved. Returns its answer.
    private mutating func expectNothing(
        _ index: Int, _ what: String, _ held: Hold? = nil
    ) async throws(Broken) -> TapcardError? {
        let amount = Money(minorUnits: Int64(chance.below(900) + 1), .usd)
        let (id, wish) = (newID(), chance.below(5))
        let uid = uid(index)
        let before = try await balance(of: uid)
        let hold: Hold = held ?? (chance.percent(30) ? .disturbed : .calm)
        let said = try await play(index, what, hold) {
            station, _ throws(TapcardError) in
            switch wish {
            case 0: _ = try await station.add(amount, id: id)
            case 1: _ = try await station.scratch(id: id)
            case 2: _ = try await station.close(id: id)
            case 3: if let problem = try await station.read().problem { throw problem }
            default: _ = try await station.pay(amount, id: id)
            }
        }
        guard try await balance(of: uid) == before else { throw broken("\(what) moved money") }
        if let state = tables.operations[id]?.state { throw broken("\(what) is \(state)") }
        switch said {
        case .success: throw broken("I7: \(what) was accepted")
        case .failure(let error):
            note("thieves: \(error.kind.word)")
            guard
                error.result == .untrusted || error.kind == .ledgerBehind
                    || error.kind == .refusal(.cardClosed) || isExplained(error.kind, index)
            else { throw broken("\(what) ended so: \(error)") }
            return error
        case nil: return nil
        }
    }

    private func balance(of uid: CardUID) async throws(Broken) -> Money? {
        do {
            return try await TableLedger(tables).knownCard(of: uid)?.balance
        } catch {
            throw broken("the ledger cannot be read: \(error)")
        }
    }

    /// An old image is put back. If it is as good as today's, it resolves in the same way.
    mutating func putBackOldImage(_ index: Int) async throws(Broken) {
        let uid = uid(index)
        guard let card = tables.cards[uid], books.accounts[uid] != nil, card.confirmed != .none,
            !bodies[index].dumps.isEmpty
        else { return }
        let dump = chance.pick(bodies[index].dumps)
        guard trueNumbers(on: dump, uid).max() ?? .none < card.confirmed else { return }
        let honest = bodies[index]
        bodies[index].memory = dump
        bodies[index].weak = [:]
        bodies[index].marks.insert(.copied)
        bodies[index].spoiltPlaces = [0, 1]
        _ = try await expectNothing(index, "an old image")
        if bodies[index].chip != nil { note("thieves: old image of an NTAG 424") }
        guard bodies[index].memory == dump else { throw broken("an old image was written over") }
        bodies[index] = honest
    }

    /// Everything that can be copied is put on a chip with another UID.
    mutating func copyToOtherChip(_ index: Int) async throws(Broken) {
        guard let tag = bodies[index].tag,
            !trueNumbers(on: bodies[index].memory, uid(index)).isEmpty,
            var other = TagMemory.blank(tag.chip, uid: [0x04] + chance.bytes(6))
        else { return }
        for page in tag.chip.userPages { other[page] = tag[page] }
        let before = CardMemory.pages(other)
        let copy = Body(memory: before, marks: [.copied])
        bodies.append(copy)
        let place = bodies.count - 1
        _ = try await expectNothing(place, "a copy on another chip")
        guard bodies[place].memory == before else { throw broken("a copy was written over") }
        bodies.removeLast()
    }

    /// A chip with the UID of a card but not its keys: one from the factory with everything that a
    /// phone can read, or one with random keys and even the card's records.
    mutating func presentClone(_ index: Int) async throws(Broken) {
        guard let chip = bodies[index].chip, let card = tables.cards[uid(index)],
            card.confirmed != .none, !isBetweenCards(world(of: index))
        else { return }
        var clone = NTAG424Memory(factory: chip.uid)
        if chance.percent(50) {
            clone[.ndef].bytes = chip[.ndef].bytes
        } else {
            clone = chip
            for number in KeyNumber.allCases { clone[number].key = AESKey(chance.bytes(16)) }
        }
        let honest = bodies[index]
        bodies[index] = Body(memory: .chip(clone), marks: [.copied])
        let hold: Hold = chance.percent(30) ? .disturbed : .calm
        let error = try await expectNothing(index, "a clone", hold)
        guard hold == .disturbed || error?.kind == .copied || error?.kind == .keyMissing else {
            throw broken("a clone is \(error?.kind.word ?? "nothing")")
        }
        guard bodies[index].memory == .chip(clone) else { throw broken("a clone was written to") }
        bodies[index] = honest
        note("thieves: clone of an NTAG 424")
    }

    /// A copy with the card's own UID is used before the card. Then the card is accused, the
    /// operator trusts it, and the copy becomes worthless.
    mutating func twoBodies(_ index: Int) async throws(Broken) {
        let uid = uid(index)
        guard books.accounts[uid]?.standing == .active, bodies[index].marks.isEmpty else { return }
        try await calmRead(index)
        guard self.uid(index) == uid, let before = tables.cards[uid]?.confirmed,
            books.accounts[uid]?.standing == .active
        else { return }
        let honest = bodies[index]
        let amount = Int64(chance.below(300) + 1)
        try await ask(Books.Claim(kind: .pay, id: newID(), amount: amount), index, .calm)
        guard let after = tables.cards[uid]?.confirmed, after != before else { return }
        note("thieves: paid with a whole copy")
        let copy = bodies[index]
        bodies[index] = honest
        bodies[index].marks = [.copied]
        try await calmRead(index)
        let repaired = bodies[index]
        bodies[index] = copy
        bodies[index].marks = [.copied]
        _ = try await expectNothing(index, "the copy of a card that was repaired")
        guard bodies[index].memory == copy.memory else { throw broken("a copy was written over") }
        bodies[index] = repaired
    }

    /// Somebody has the keys and makes cards with their own ledger.
    mutating func leakedKeys(_ index: Int) async throws(Broken) {
        let uid = uid(index)
        guard books.accounts[uid] != nil, tables.cards[uid]?.confirmed != SequenceNumber.none
        else { return }
        let (ours, honest) = (tables, bodies[index])
        guard let model = honest.memory.model else { return }
        (tables, isElsewhere) = (LedgerTables(), true)
        bodies[index] = Body(memory: blank(model, honest.memory.uid), marks: [.copied])
        let request = CardRequest(
            .issue(.nobody, Money(minorUnits: 99_999_999, .usd), hasScratchCard: true))
        try await carryOut(request, "a thief's card", index)
        (tables, isElsewhere) = (ours, false)
        bodies[index].marks = [.copied]
        let forged = bodies[index].memory
        _ = try await expectNothing(index, "a card made with leaked keys")
        guard bodies[index].memory == forged else { throw broken("a forged card was written over") }
        bodies[index] = honest
    }

    /// A card of another issuer that shares the keys is read-only until it is adopted.
    mutating func cardFromElsewhere(_ index: Int) async throws(Broken) {
        guard bodies.count < 2 * Town.size else { return }
        bodies.append(blank())
        let place = bodies.count - 1
        let ours = tables
        (tables, isElsewhere) = (LedgerTables(), true)
        let amount = Money(minorUnits: Int64(chance.below(4_000)), .usd)
        let request = CardRequest(.issue(.nobody, amount, hasScratchCard: true))
        try await carryOut(request, "issue elsewhere", place)
        (tables, isElsewhere) = (ours, false)
        let id = newID()
        let said = try await play(place, "pay with a card from elsewhere", .calm) {
            station, _ throws(TapcardError) in
            try await station.pay(Money(minorUnits: 1, .usd), id: id)
        }
        guard case .failure(let error) = said, error.kind == .refusal(.cardUnknown) else {
            throw broken("a card from elsewhere: \(Town.words(said))")
        }
        try await adopt(place)
    }

    /// Somebody writes to a chip with a phone and tries keys, and it accepts nothing.
    private mutating func vandal(_ index: Int, on chip: NTAG424Memory) throws(Broken) {
        let card = tables.cards[uid(index)]
        guard let card, card.confirmed != .none, !isBetweenCards(world(of: index)) else { return }
        var (side, after) = (NTAG424Side(), chip)
        let bytes = chance.bytes(16)
        let key = chance.pick(KeyNumber.allCases)
        let commands: [CardCommand] = [
            .selectApplication, .updateBinary(.ndef, offset: chance.below(200), data: bytes),
            .writeData(.data, offset: 32 * chance.below(4), data: bytes),
            .writeData(.ndef, offset: 0, data: bytes), .authenticateFirst(key),
            .more(bytes + chance.bytes(16)), .writeData(.data, offset: 0, data: bytes),
        ]
        for command in commands {
            _ = side.answer(command.plain.bytes, &after) { [chance] in chance.bytes($0) }
        }
        guard after[key].failures == chip[key].failures + 1 else {
            throw broken("a chip did not count a wrong key")
        }
        after.forgetCounts()
        guard after == chip else { throw broken("a phone has changed a chip") }
        note("vandals kept out by an NTAG 424")
    }

    /// Somebody writes to a card with a phone, unless it asks for a password.
    mutating func vandal(_ index: Int) throws(Broken) {
        if let chip = bodies[index].chip { return try vandal(index, on: chip) }
        guard books.accounts[uid(index)] != nil, let tag = bodies[index].tag,
            let layout = tag.chip.model.flatMap(CardLayout.init)
        else { return }
        guard !tag.asksForPassword else {
            return note("vandals kept out by a password")
        }
        let records = layout.recordPages.flatMap { Array($0..<$0 + 4) }
        let pages: [UInt8]
        switch chance.below(5) {
        case 0: pages = Array(layout.pages)
        case 1: pages = records
        case 2: pages = [chance.pick(records)]
        default: pages = (0...chance.below(3)).map { _ in chance.pick(Array(layout.ndefPages)) }
        }
        let text = Page(0x2E, 0x2E, 0x2E, 0x2E)
        let bytes = chance.bytes(4)
        let written = chance.pick([.zero, text, Page(bytes[0], bytes[1], bytes[2], bytes[3])])
        for page in pages {
            bodies[index].set(page, written)
            bodies[index].weak[page] = nil
        }
        bodies[index].marks.insert(.vandalised)
        for (place, first) in layout.recordPages.enumerated()
        where pages.contains(where: { (first..<first + 4).contains($0) }) {
            bodies[index].spoiltPlaces.insert(place)
        }
        tell(index, "a vandal wrote \(written) on \(pages.count) pages from \(pages[0])")
    }
}
