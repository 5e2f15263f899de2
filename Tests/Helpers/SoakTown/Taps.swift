import BlockingLane
import Cards
import FaultyWorld
import Ledger
import PortDoubles
import Tags
import TapcardCore
import TapcardDomain

/// How a card is held to the reader.
enum Hold: Sendable {
    case calm
    /// Something goes wrong on the way.
    case disturbed
    /// It is not there, because somebody asks only the till.
    case away
}

/// A request to a station, in a scene.
typealias Ask<Success> = @Sendable (Station, Scene) async throws(TapcardError) -> Success

extension Town {
    func world(of index: Int) -> RestingWorld {
        var world = RestingWorld(bodies[index].memory, ledger: tables)
        (world.weak, world.ring) = (bodies[index].weak, keys)
        world.mayRefuseKeys = !bodies[index].marks.isDisjoint(with: [.copied, .restored])
        return world
    }

    /// Plays one tap. Nil where the process died without an answer.
    mutating func play<Success: Sendable>(
        _ index: Int, _ what: String, _ hold: Hold, _ ask: @escaping Ask<Success>
    ) async throws(Broken) -> Result<Success, TapcardError>? {
        let said = try await playScene(index, hold) { scene in await scene.hear(ask, at: 0) }
        note(hold == .away ? "questions without a card" : "taps")
        if bodies[index].chip != nil, hold != .away { note("taps on an NTAG 424, \(hold)") }
        for mark in bodies[index].marks { note("taps on a card that is \(mark)") }
        tell(index, "\(what), \(hold): \(Town.words(said))")
        return said
    }

    /// Sets the scene for people with a card, with its faults, and adopts the world that they
    /// leave.
    mutating func playScene<Said: Sendable>(
        _ index: Int, _ hold: Hold, stations: Int = 1,
        turn: (@Sendable (Int) async -> Void)? = nil,
        _ act: @Sendable (Scene) async -> Said
    ) async throws(Broken) -> Said {
        evidence = evidence(of: index)
        trouble = Trouble()
        let before = world(of: index)
        let (seed, keys, time) = (chance.next(), keys, time)
        func scene(
            _ mishaps: [Int: Mishap], _ occasion: Occasion, _ twin: LedgerTwin? = nil
        ) -> Scene {
            Scene(
                before, mishaps: mishaps, stations: stations, keys: keys,
                dependencies: occasion.dependencies, twin: twin, turn: turn)
        }
        var mishaps: [Int: Mishap] = [:]
        if hold == .disturbed {
            let made = active.withLock { $0 }
            mishaps = await drawMishaps { mishaps in
                let rehearsal = scene(mishaps, Occasion(seed, at: time))
                _ = await act(rehearsal)
                active.withLock { $0 = made }
                return rehearsal.steps
            }
        }
        let occasion = Occasion(seed, at: time)
        let played = scene(mishaps, occasion, try await twin())
        if hold == .away { played.moveCard(to: nil) }
        let said = await act(played)
        self.time = occasion.clock.withLock { $0 }
        try take(played, index, hints: occasion.hints.withLock { $0 })
        for place in mishaps.keys.sorted() {
            guard let mishap = mishaps[place], played.steps.indices.contains(place) else {
                throw broken("a fault was drawn for a step that was never taken")
            }
            trouble.add(mishap)
            note("fault: \(mishap.name)")
            tell(index, "(\(mishap))")
        }
        if let violation = played.violations.first { throw broken("\(violation)") }
        try expectAtRest(index, after: before)
        return said
    }

    /// Takes over the world that the scene left, and compares the log's hints with the card.
    private mutating func take(
        _ scene: Scene, _ index: Int, hints: [String]
    ) throws(Broken) {
        let world = scene.world
        if let before = bodies[index].chip, let after = world.chip,
            before[.three].version != after[.three].version
        {
            note(before[.three].version == 0 ? "NTAG 424 made a card" : "NTAG 424 with new keys")
        }
        bodies[index].memory = world.memory
        bodies[index].weak = world.weak
        try takeOver(world.ledger)
        if hints.contains(where: { $0.contains("only partly written") }) { note("hints: torn") }
        let suspicion = hints.first { $0.contains("tampered") || $0.contains("overwritten") }
        if let suspicion {
            guard !bodies[index].spoiltPlaces.isEmpty else {
                throw broken("the log suspects an honest card: \(suspicion)")
            }
            note("hints: somebody's hand")
        }
        // A weak page may show again what a vandal wrote.
        guard let tag = bodies[index].tag else { return }
        let pages = tag.chip.model.flatMap(CardLayout.init)?.recordPages ?? []
        for ((place, bytes), first) in zip(world.memory.records.enumerated(), pages) {
            let isWeak = world.weak.keys.contains { (first..<first + 4).contains($0) }
            if isIssued(bytes, uid(index)), !isWeak { bodies[index].spoiltPlaces.remove(place) }
        }
    }

    static func words<Success>(_ said: Result<Success, TapcardError>?) -> String {
        switch said {
        case .success(let receipt as Receipt):
            "done, \(receipt.balance) left" + (receipt.isReplayed ? " (replayed)" : "")
        case .success(let summary as CardSummary):
            summary.problem.map { "shown, but \($0.kind.word)" }
                ?? "\(summary.balance.map { "\($0)" } ?? "nothing") on it"
        case .success: "done"
        case .failure(let error): "\(error.kind.word): \(error.what)"
        case nil: "nothing; the process is dead"
        }
    }
}

// What must hold.
extension Town {
    /// The numbers of the records on a card that the ledger itself made for it.
    func trueNumbers(
        on memory: CardMemory, _ uid: CardUID, in ledger: LedgerTables? = nil
    ) -> [SequenceNumber] {
        let issued = (ledger ?? tables).issued[uid] ?? [:]
        return memory.records.compactMap { bytes in
            guard let record = SealedRecord(bytes), issued[record.sequence]?.bytes == bytes
            else { return nil }
            return record.sequence
        }
    }

    private func isIssued(_ bytes: [UInt8], _ uid: CardUID) -> Bool {
        guard let record = SealedRecord(bytes) else { return false }
        return tables.issued[uid]?[record.sequence]?.bytes == bytes
    }

    /// I11, with weak pages as they are and once they have turned bad. No tap damages a vandalized
    /// card further.
    private func expectAtRest(_ index: Int, after before: RestingWorld) throws(Broken) {
        let world = world(of: index)
        let isAnew = world.open?.kind.makesCard == true || isFormatted(before)
        let mayLack = !bodies[index].marks.isEmpty || isAnew
        guard !mayLack || (evidence.hasGoodRecord && lack(in: before) == nil) else { return }
        // Where the confirmed record itself is gone, it is unknown which of the others is weak.
        let isUnsure = mayLack && !hasConfirmedRecord(before)
        if let lack = lack(in: world, isUnsure ? [.none] : Decay.allCases) {
            throw broken("I11: \(lack)")
        }
    }

    /// Whether its records do not matter, because they are not confirmed and never will be.
    func isBetweenCards(_ world: RestingWorld) -> Bool {
        world.open?.kind.makesCard == true || isFormatted(world)
    }

    private func isFormatted(_ world: RestingWorld) -> Bool {
        world.card?.status == .closed && isBlank(world.memory)
    }

    private func hasConfirmedRecord(_ world: RestingWorld) -> Bool {
        guard let card = world.card else { return false }
        return trueNumbers(on: world.memory, card.uid, in: world.ledger).contains(card.confirmed)
    }

    /// Nil where a record of this ledger is left that is not below the confirmed one, even from a
    /// time that the ledger has lost, because a repair continues from there.
    private func lack(
        in world: RestingWorld, _ decays: [Decay] = Decay.allCases
    ) -> String? {
        guard let card = world.card else { return nil }
        for decay in decays {
            let memory = world.decayed(decay).memory
            let lost = memory.records.filter { self.lost[card.uid]?.contains($0) == true }
                .compactMap { SealedRecord($0)?.sequence }
            let numbers = trueNumbers(on: memory, card.uid, in: world.ledger) + lost
            let best = numbers.max() ?? .none
            if best < card.confirmed {
                return "the best record is \(best), \(card.confirmed) is confirmed (\(decay))"
            }
        }
        return nil
    }

    /// An NTAG 424 never becomes blank again.
    func isBlank(_ memory: CardMemory) -> Bool {
        guard case .pages(let tag) = memory else { return false }
        return tag.chip.userPages.dropFirst().allSatisfy { tag[$0] == .zero }
    }

    /// I8 and the books: after one undisturbed tap the tag, its text for phones, the ledger and the
    /// people agree.
    mutating func expectResolved(_ index: Int) async throws(Broken) {
        let uid = uid(index)
        let found: KnownCard?
        do {
            found = try await TableLedger(tables).knownCard(of: uid)
        } catch {
            throw broken("the ledger cannot be read: \(error)")
        }
        guard let known = found, let account = books.accounts[uid] else {
            throw broken("the ledger knows \(found == nil ? "nothing" : "a card"), people not")
        }
        if let open = known.open { throw broken("I8: \(open.kind) \(open.id) is still open") }
        guard trueNumbers(on: bodies[index].memory, uid).max() == known.card.confirmed else {
            throw broken("I8: the record is not the confirmed one, \(known.card.confirmed)")
        }
        try expectShown(index, known)
        try expectProtection(index, known.card.protection)
        guard account.claims.isEmpty else { return }
        guard known.balance.minorUnits == account.balance else {
            throw broken(
                "the ledger says \(known.balance), people were told \(account.balance) cents")
        }
        guard known.card.status.rawValue == "\(account.standing)" else {
            throw broken("the card is \(known.card.status), people were told \(account.standing)")
        }
        guard (known.card.game != nil) == account.hasGame else {
            throw broken("the card \(account.hasGame ? "lost" : "found") a game")
        }
        let scratch = account.scratch == .none ? nil : "\(account.scratch)"
        guard account.standing == .closed || known.card.scratch.word == scratch else {
            throw broken(
                "the scratch card is \(known.card.scratch.word ?? "none"), people were told "
                    + "\(account.scratch)")
        }
        if known.card.scratch.word == "activated", let code = known.card.scratch.code,
            !active.withLock({ $0.contains(code) })
        {
            throw broken("I9: a code is activated that the service never made active")
        }
    }
}

extension Town {
    /// Phones read what the ledger has: the card's text, or on a chip the issuer's address.
    private func expectShown(_ index: Int, _ known: KnownCard) throws(Broken) {
        guard let tag = bodies[index].tag else {
            if let first = world(of: index).unresolved().first { throw broken("\(first)") }
            return
        }
        let content = known.card.content(known.card.confirmed, balance: known.balance)
        var face = CardFace(
            style: known.card.face, balance: content.balance, holder: content.holder,
            scratch: content.scratch, ticket: known.card.ticket, game: known.card.game?.id)
        guard var shown = tag.image?.content(in: .usd).face else {
            throw broken("I8: what phones read makes no sense")
        }
        face.extras = shown.extras
        if let layout = tag.chip.model.flatMap(CardLayout.init) { face = face.shown(in: layout) }
        face.extras = []
        // What a vandal wrote may have become a member of others, which is kept.
        shown.extras = []
        guard shown == face else { throw broken("I8: phones read \(shown), not \(face)") }
    }

    /// Damage to a card is no longer an excuse once it is resolved, except to a tag's protection,
    /// of which a read without a write learns nothing.
    mutating func forgive(_ index: Int) {
        let protection = tables.cards[uid(index)]?.protection ?? .off
        let isLost = bodies[index].tag?.settingsDiffer(from: protection, keys) != nil
        bodies[index].marks.formIntersection(isLost ? [.restored] : [])
    }

    /// The tag has its password and asks for it if and only if the ledger says so, unless a
    /// restored ledger has lost that and the card is not repaired yet.
    private mutating func expectProtection(
        _ index: Int, _ protection: CardProtection
    ) throws(Broken) {
        guard protection.isStable else {
            throw broken("I8: its protection is still being switched: \(protection.word)")
        }
        if let difference = bodies[index].tag?.settingsDiffer(from: protection, keys) {
            if bodies[index].marks.contains(.restored) {
                return note("protection lost in a restore")
            }
            throw broken("protection is \(protection.word) in the ledger, and \(difference)")
        }
        if protection != .off { note("resolved with a password") }
    }
}

extension TagMemory {
    var image: CardImage? {
        chip.model.flatMap(CardLayout.init).flatMap { layout in
            CardImage(layout.pages.flatMap { self[$0].bytes }, layout: layout)
        }
    }
}

extension CardMemory {
    /// The bytes in the slots: two on a tag with pages, four on a chip.
    var records: [[UInt8]] {
        switch self {
        case .pages(let tag): tag.image?.records ?? []
        case .chip(let chip): NTAG424Slots(chip[.data].bytes)?.records ?? []
        }
    }
}

extension Scene {
    /// The answer of one of its stations; nil where the process died.
    func hear<Success>(
        _ ask: Ask<Success>, at number: Int
    ) async -> Result<Success, TapcardError>? {
        let said: Result<Success, TapcardError>
        do throws(TapcardError) {
            said = .success(try await ask(station(number), self))
        } catch {
            said = .failure(error)
        }
        return isDead(number) ? nil : said
    }
}
