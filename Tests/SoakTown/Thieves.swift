import BlockingLane
import CardImage
import FaultyWorld
import Ledger
import TapcardCore
import TapcardDomain
import Type2Tag

// People who want what is not theirs, and people who break things.
extension Town {
    /// A tap that must come to nothing: no good word, no money moved. Returns what was said.
    private mutating func expectNothing(
        _ index: Int, _ what: String
    ) async throws(Broken) -> TapcardError? {
        let amount = Money(minorUnits: Int64(chance.below(900) + 1), .usd)
        let (id, wish) = (newID(), chance.below(5))
        let uid = uid(index)
        let before = try await balance(of: uid)
        let hold: Hold = chance.percent(30) ? .disturbed : .calm
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
            note("thieves: \(error.kind.rawValue)")
            if hold == .calm, error.result != .untrusted, error.kind != .ledgerBehind,
                error.kind != .cardClosed
            {
                throw broken("\(what) ended so: \(error)")
            }
            return error
        case nil: return nil
        }
    }

    private func balance(of uid: CardUID) async throws(Broken) -> Money? {
        do {
            return try await LedgerAtRest(tables: tables).view(of: uid)?.balance
        } catch {
            throw broken("the ledger cannot be read: \(error)")
        }
    }

    /// An old image is put back. If it is as good as today's, it settles like today's.
    mutating func putBackOldImage(_ index: Int) async throws(Broken) {
        let uid = uid(index)
        guard let card = tables.cards[uid], books.accounts[uid] != nil, card.confirmed != .none,
            !bodies[index].dumps.isEmpty
        else { return }
        let dump = chance.pick(bodies[index].dumps)
        guard trueNumbers(on: dump, uid).max() ?? .none < card.confirmed else { return }
        let honest = bodies[index]
        bodies[index].tag = dump
        bodies[index].weak = [:]
        bodies[index].marks.insert(.copied)
        _ = try await expectNothing(index, "an old image")
        guard bodies[index].tag == dump else { throw broken("an old image was written over") }
        bodies[index] = honest
    }

    /// All that can be copied, on a chip with another number.
    mutating func copyToOtherChip(_ index: Int) async throws(Broken) {
        guard !trueNumbers(on: bodies[index].tag, uid(index)).isEmpty,
            let blank = TagMemory.blank(bodies[index].tag.chip, uid: [0x04] + chance.bytes(6))
        else { return }
        var copy = Body(tag: blank)
        for page in copy.tag.chip.userPages { copy.tag[page] = bodies[index].tag[page] }
        copy.marks = [.copied]
        let before = copy.tag
        bodies.append(copy)
        let place = bodies.count - 1
        _ = try await expectNothing(place, "a copy on another chip")
        guard bodies[place].tag == before else { throw broken("a copy was written over") }
        bodies.removeLast()
    }

    /// A copy with the card's own number is used before the card is. Then the card is accused; the
    /// operator believes it, and the copy is worth nothing.
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
        guard bodies[index].tag == copy.tag else { throw broken("a copy was written over") }
        bodies[index] = repaired
    }

    /// Somebody has the keys, and a ledger of his own to make cards with.
    mutating func leakedKeys(_ index: Int) async throws(Broken) {
        let uid = uid(index)
        guard books.accounts[uid] != nil, tables.cards[uid]?.confirmed != SequenceNumber.none
        else { return }
        let (ours, honest) = (tables, bodies[index])
        guard let blank = TagMemory.blank(honest.tag.chip, uid: honest.tag.uid) else { return }
        tables = LedgerTables()
        bodies[index] = Body(tag: blank, marks: [.copied])
        let order = CardOrder(
            .issue(.nobody, Money(minorUnits: 99_999_999, .usd), hasScratchCard: true))
        try await carryOut(order, "a thief's card", index)
        tables = ours
        bodies[index].marks = [.copied]
        let forged = bodies[index].tag
        _ = try await expectNothing(index, "a card made with leaked keys")
        guard bodies[index].tag == forged else { throw broken("a forged card was written over") }
        bodies[index] = honest
    }

    /// A card of another house that shares the keys: read only, until it is taken over.
    mutating func cardFromElsewhere(_ index: Int) async throws(Broken) {
        guard bodies.count < 2 * Town.size else { return }
        bodies.append(blank())
        let place = bodies.count - 1
        let ours = tables
        tables = LedgerTables()
        let amount = Money(minorUnits: Int64(chance.below(4_000)), .usd)
        let order = CardOrder(.issue(.nobody, amount, hasScratchCard: true))
        try await carryOut(order, "issue elsewhere", place)
        tables = ours
        let id = newID()
        let said = try await play(place, "pay with a card from elsewhere", .calm) {
            station, _ throws(TapcardError) in
            try await station.pay(Money(minorUnits: 1, .usd), id: id)
        }
        guard case .failure(let error) = said, error.kind == .cardUnknown else {
            throw broken("a card from elsewhere: \(Town.words(said))")
        }
        try await adopt(place)
    }

    /// Somebody writes on a card with a phone.
    mutating func vandal(_ index: Int) {
        guard books.accounts[uid(index)] != nil,
            let layout = CardLayout(chipNamed: bodies[index].tag.chip.name)
        else { return }
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
            bodies[index].tag[page] = written
            bodies[index].weak[page] = nil
        }
        bodies[index].marks.insert(.vandalised)
        bodies[index].wasVandalised = true
        tell(index, "a vandal wrote \(written) on \(pages.count) pages from \(pages[0])")
    }

    /// One card goes to and fro between two counters: in the middle of a tap at one it pays at
    /// the other.
    mutating func crossing(_ index: Int) async throws(Broken) {
        let uid = uid(index)
        guard books.accounts[uid]?.standing == .active, bodies[index].marks.isEmpty,
            books.accounts[uid]?.claims.isEmpty == true
        else { return }
        let claims = (1...2).map { _ in
            Books.Claim(kind: .pay, id: newID(), amount: Int64(chance.below(400) + 1))
        }
        let meeting = Meeting(afterSteps: chance.below(24), claims[1])
        let scene = Scene(
            world(of: index), stations: 2, keys: keys, surroundings: surroundings,
            turn: { number in if number == 0 { await meeting.turn() } })
        meeting.scene.withLock { $0 = scene }
        var said: [Result<Receipt, TapcardError>?] = []
        for claim in claims { books.begin(claim, on: uid) }
        do throws(TapcardError) {
            let amount = Money(minorUnits: claims[0].amount, .usd)
            said.append(.success(try await scene.station().pay(amount, id: claims[0].id)))
        } catch {
            said.append(.failure(error))
        }
        said.append(meeting.said.withLock { $0 })
        meeting.scene.withLock { $0 = nil }
        try take(scene, index)
        note("taps")
        for (claim, answer) in zip(claims, said) {
            tell(index, "pay \(claim.amount) at one of two counters: \(Town.words(answer))")
            try hear(answer, claim, index)
        }
        try expectAtRest(index)
        try await calmRead(index)
    }

    /// What a customer at two counters is told by one of them.
    private mutating func hear(
        _ said: Result<Receipt, TapcardError>?, _ claim: Books.Claim, _ index: Int
    ) throws(Broken) {
        let state = tables.operations[claim.id]?.state
        switch said {
        case .success:
            note("answers: pay done, between two counters")
            guard state == .committed else { throw broken("I6: paid, but \(claim.id) is not") }
            books.happened(claim, on: uid(index))
        case .failure(let error):
            note("answers: \(error.kind.rawValue), between two counters")
            if error.result == .untrusted || error.kind == .ledgerBehind {
                throw broken("I7: an honest card at two counters is \(error.kind.rawValue)")
            }
            if error.kind == .outcomeUnknown { return }
            guard state != .committed else { throw broken("I6: \(claim.id) failed and is done") }
            if state != .pending { books.didNotHappen(claim, on: uid(index)) }
        case nil: if state == nil { books.didNotHappen(claim, on: uid(index)) }
        }
    }
}

/// Two counters meet over one card.
private final class Meeting: Sendable {
    let scene = Guarded<Scene?>(nil)
    let said = Guarded<Result<Receipt, TapcardError>?>(nil)
    private let left: Guarded<Int>
    private let claim: Books.Claim

    init(afterSteps steps: Int, _ claim: Books.Claim) {
        left = Guarded(steps)
        self.claim = claim
    }

    /// Before each step of the first counter: at one of them the card goes to the second, and back.
    func turn() async {
        let isDue = left.withLock { left in
            left -= 1
            return left == 0
        }
        guard isDue, let scene = scene.withLock({ $0 }) else { return }
        scene.moveCard(to: 1)
        let answer: Result<Receipt, TapcardError>
        do throws(TapcardError) {
            let amount = Money(minorUnits: claim.amount, .usd)
            answer = .success(try await scene.station(1).pay(amount, id: claim.id))
        } catch {
            answer = .failure(error)
        }
        said.withLock { $0 = answer }
        scene.moveCard(to: 0)
    }
}
