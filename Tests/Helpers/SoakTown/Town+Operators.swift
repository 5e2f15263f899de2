import BlockingLane
import CardCryptography
import FaultyWorld
import Ledger
import PortDoubles
import Tags
import TapcardCore
import TapcardDomain

// The operator of the till makes cards, puts things right, and sometimes makes them worse.
extension Town {
    /// A customer comes with a tag that has no account.
    mutating func firstVisit(_ index: Int) async throws(Broken) {
        guard bodies[index].marks.isEmpty else { return try await calmRead(index) }
        try await make(index, demo: chance.percent(15), isAnew: tables.cards[uid(index)] != nil)
    }

    /// Makes a card, trying until it succeeds, while the cash waits on the table.
    mutating func make(_ index: Int, demo isDemo: Bool, isAnew: Bool) async throws(Broken) {
        let amount = isDemo ? 0 : Int64(chance.below(5_000))
        let hasScratchCard = isDemo || chance.percent(80)
        let request: CardRequest
        do throws(Refusal) {
            let name = chance.pick([
                "Amanda Gonzalez", "Zo\u{EB}", "Jo", "Li Wei", "\u{5F20}\u{4F1F}",
            ])
            let holder = Holder(
                id: chance.percent(50) ? try HolderID(Int64(chance.below(9) + 1)) : nil,
                name: chance.percent(70) ? try HolderName(name) : nil)
            request =
                isDemo
                ? try CardRequest.demo(in: .usd, mayReissue: isAnew, mayOverwrite: true)
                : CardRequest(
                    .issue(
                        holder, Money(minorUnits: amount, .usd), hasScratchCard: hasScratchCard),
                    mayReissue: isAnew, mayOverwrite: true)
        } catch {
            throw broken("a good name was refused: \(error)")
        }
        let what = isDemo ? "demo" : isAnew ? "re-issue" : "issue"
        try await carryOut(request, what, index)
        books.drawer += amount
        books.made(uid(index), amount, hasScratchCard ? .unscratched : .none)
        try await expectResolved(index)
    }

    /// Repeats a request until an undisturbed one succeeds.
    @discardableResult
    mutating func carryOut(
        _ request: CardRequest, _ what: String, _ index: Int
    ) async throws(Broken) -> CardSummary {
        let id = newID()
        while true {
            let hold: Hold = chance.percent(50) ? .disturbed : .calm
            let state = tables.operations[id]?.state
            let said = try await play(index, what, hold) { station, _ throws(TapcardError) in
                try await station.make(request, id: id)
            }
            try expectTruth(said, what, state, tables.operations[id]?.state)
            switch said {
            case .success(let summary):
                note("answers: \(what) done")
                bodies[index].marks = []
                // A disturbed tap may have lost the card before it was read to its end.
                if hold == .disturbed { try await expectGood(index) }
                return summary
            case .failure(let error) where hold == .calm:
                throw broken("\(what) ended so: \(error)")
            case .failure(let error): try expectDisturbance(error, index)
            case nil: continue
            }
        }
    }

    /// Checks that a failed, disturbed tap has not accused a card without a reason.
    private mutating func expectDisturbance(_ error: TapcardError, _ index: Int) throws(Broken) {
        if Town.blames(error) { return try expectExcuse(for: error.kind, index) }
        guard isExplained(error.kind, index) else {
            throw broken("what was disturbed ended so: \(error)")
        }
    }

    private mutating func expectGood(_ index: Int) async throws(Broken) {
        let said = try await play(index, "read", .calm) { station, _ throws(TapcardError) in
            try await station.read()
        }
        guard case .success(let summary) = said, summary.problem == nil else {
            throw broken("a card that was made is not good: \(Town.words(said))")
        }
    }

    /// A card was accused. If nobody did anything to it, that is a violation; otherwise the
    /// operator repairs it, and no money has moved.
    mutating func wasAccused(
        _ kind: TapcardError.Kind, _ index: Int
    ) async throws(Broken) {
        try expectExcuse(for: kind, index)
        if kind == .refusal(.cardUnknown) { return try await adopt(index) }
        let uid = uid(index)
        while true {
            let hold: Hold = chance.percent(40) ? .disturbed : .calm
            let said = try await play(index, "repair", hold) { station, _ throws(TapcardError) in
                try await station.repair(naming: uid)
            }
            switch said {
            case .success:
                note("repairs")
                bodies[index].marks = []
                return try await calmRead(index)
            case .failure(let error) where hold == .calm:
                throw broken("a repair ended so: \(error)")
            case .failure(let error): try expectDisturbance(error, index)
            case nil: continue
            }
        }
    }

    /// Whether the ledger has the code on another card.
    private func isKnown(_ code: ScratchCode, besides index: Int) -> Bool {
        let uid = uid(index)
        return tables.cards.values.contains { $0.uid != uid && $0.scratch.code == code }
            || tables.activations.contains {
                $0.card != uid && $0.code == code && $0.state != .rejected
            }
    }

    /// A card that the ledger no longer knows, or never knew, is adopted or thrown away.
    mutating func adopt(_ index: Int) async throws(Broken) {
        let said = try await play(index, "read", .calm) { station, _ throws(TapcardError) in
            try await station.read()
        }
        guard case .success(let summary) = said, summary.problem == nil, summary.seal == .valid,
            let balance = summary.balance
        else {
            // Who it is for stands in its message alone, and a key may be given up.
            guard evidence.isFaceTorn || !bodies[index].marks.isSubset(of: [.restored]) else {
                throw broken("a good card of nobody's: \(Town.words(said))")
            }
            return throwAway(index)
        }
        let request = CardRequest(.adopt(accepting: balance))
        // As on a card that replaced another one in the time that a restore has lost.
        let isAnothers = summary.scratch.code.map { isKnown($0, besides: index) } ?? false
        let made = try await carryOut(request, "adopt", index)
        guard (made.codeOwner != nil) == isAnothers,
            made.scratch == (isAnothers ? .none : summary.scratch)
        else { throw broken("a card with \(summary.scratch) was adopted with \(made.scratch)") }
        if isAnothers { note("adopted without another card's code") }
        books.adopted += balance.minorUnits
        let scratch: Books.Scratch =
            switch made.scratch {
            case .none: .none
            case .unscratched: .unscratched
            case .scratched: .scratched
            case .activated(let code):
                // Somebody else's service has made it active.
                active.withLock { active in
                    active.insert(code)
                    return Books.Scratch.activated
                }
            }
        books.made(uid(index), balance.minorUnits, scratch)
        try await expectResolved(index)
    }

    mutating func throwAway(_ index: Int) {
        note("stickers thrown away")
        bodies[index] = blank()
    }

    mutating func changeStatus(_ index: Int) async throws(Broken) {
        let uid = uid(index)
        guard let account = books.accounts[uid] else { return }
        let change: StatusChange =
            account.standing == .blocked ? .unblock : chance.percent(40) ? .block : .forget
        guard change == .forget || account.standing == .active || account.standing == .blocked
        else { return }
        let ledger = TableLedger(tables)
        let dependencies = Occasion(chance.next(), at: time).dependencies
        let twin = try await twin()
        do throws(TapcardError) {
            _ = try await Station.change(
                uid, change, in: TwinnedLedger(ledger, twin), dependencies: dependencies)
        } catch {
            // A payout that is not known yet may have closed it.
            guard !account.claims.isEmpty else { throw broken("\(change) ended so: \(error)") }
            return
        }
        try takeOver(ledger.tables)
        switch change {
        case .block: books.accounts[uid]?.standing = .blocked
        case .unblock: books.accounts[uid]?.standing = .active
        case .forget: break
        }
        note("answers: \(change) done")
        tell(index, "\(change)")
    }

    /// Gives a tag its password or removes it, repeated until it is done.
    mutating func switchProtection(_ index: Int) async throws(Broken) {
        try await calmRead(index)
        guard let card = tables.cards[uid(index)], bodies[index].marks.isEmpty,
            bodies[index].tag != nil
        else { return }
        let (id, isOn) = (newID(), card.protection != .off)
        let what = isOn ? "unprotect" : "protect"
        let isAllowed = books.accounts[card.uid]?.standing == .active
        while true {
            let hold: Hold = chance.percent(60) ? .disturbed : .calm
            let state = tables.operations[id]?.state
            let said = try await play(index, what, hold) { station, _ throws(TapcardError) in
                if isOn {
                    try await station.unprotect(id: id)
                } else {
                    try await station.protect(id: id)
                }
            }
            try expectTruth(said, what, state, tables.operations[id]?.state)
            switch said {
            case .success:
                note("answers: \(what) done")
                return try await calmRead(index)
            case .failure(let error) where Town.blames(error):
                throw broken("I7: while switching its password, a card is \(error.kind.word)")
            case .failure(let error) where !isAllowed && Town.isOfStanding(error.kind): return
            case .failure(let error) where hold == .calm:
                throw broken("\(what) ended so: \(error)")
            case .failure(let error): try expectDisturbance(error, index)
            case nil: continue
            }
        }
    }

    mutating func rotateKeys() throws(Broken) {
        // Ids end at sixteen; the last ones are left for those who need them.
        guard keys.entries.count < 14 else { return }
        do {
            keys = try keys.rotated(created: "2026-02-01") { [chance] in chance.bytes($0) }
        } catch {
            throw broken("the keys cannot be rotated: \(error)")
        }
    }

    mutating func retireKey() throws(Broken) {
        guard let old = keys.entries.first(where: { $0.status == .verifyOnly }) else { return }
        do {
            keys = try keys.retiring(old.id)
        } catch {
            throw broken("key \(old.id) cannot be retired: \(error)")
        }
        for index in bodies.indices { bodies[index].marks.insert(.keyRetired) }
    }

    /// The ledger is restored to an earlier state, and what happened since is lost for everybody.
    mutating func restore() async throws(Broken) {
        guard let backup else { return }
        let ledger = TableLedger(backup.tables)
        do {
            _ = try await ledger.skipNumbersAfterRestore()
        } catch {
            throw broken("the backup cannot be put back: \(error)")
        }
        let newer = tables
        tables = ledger.tables
        for (uid, records) in newer.issued {
            let known = tables.issued[uid] ?? [:]
            lost[uid, default: []].formUnion(
                records.values.filter { known[$0.sequence] == nil }.map(\.bytes))
        }
        books = backup.books
        let marks: Set<Body.Mark> =
            keys.entries.contains { $0.status == .retired }
            ? [.restored, .keyRetired] : [.restored]
        for index in bodies.indices { bodies[index].marks.formUnion(marks) }
        let present = Set(bodies.indices.map(uid))
        for uid in books.accounts.keys.sorted() where !present.contains(uid) {
            try await learn(0, of: uid, isGone: true)
        }
    }

    /// A till that has restored a backup takes no money for a card that was used since, and changes
    /// nothing on it.
    mutating func staleStation(_ index: Int) async throws(Broken) {
        guard let backup, let then = backup.tables.cards[uid(index)],
            let best = trueNumbers(on: bodies[index].memory, uid(index)).max(),
            best > then.allocated, bodies[index].marks.isEmpty
        else { return }
        let ledger = TableLedger(backup.tables)
        do {
            _ = try await ledger.skipNumbersAfterRestore()
        } catch {
            throw broken("the backup cannot be put back: \(error)")
        }
        let (now, before) = (tables, bodies[index])
        (tables, isElsewhere) = (ledger.tables, true)
        bodies[index].marks = [.restored]
        let id = newID()
        let said = try await play(index, "pay at a stale till", .calm) {
            station, _ throws(TapcardError) in
            try await station.pay(Money(minorUnits: 1, .usd), id: id)
        }
        // It may not know the holder, and nobody else says for whom a record is.
        let isUnreadable = evidence.isFaceTorn
        guard case .failure(let error) = said,
            error.kind == .ledgerBehind || (error.kind == .damaged && isUnreadable)
        else { throw broken("a till with an old ledger said: \(Town.words(said))") }
        guard bodies[index].memory == before.memory else {
            throw broken("a till with an old ledger wrote on a card")
        }
        (tables, isElsewhere) = (now, false)
        bodies[index] = before
        note("answers: \(error.kind.word) at a stale till")
    }

    /// A card is lost, its balance moves to a new tag, and the old one turns up again.
    mutating func replace(_ index: Int) async throws(Broken) {
        let lost = uid(index)
        guard let account = books.accounts[lost],
            account.standing == .active || account.standing == .blocked
        else { return }
        try await calmRead(index)
        guard let standing = books.accounts[lost]?.standing,
            standing == .active || standing == .blocked, uid(index) == lost
        else { return }
        bodies.append(blank())
        let new = bodies.count - 1
        try await carryOut(CardRequest(.replace(lost)), "replace", new)
        books.replaced(lost, by: uid(new))
        try await expectResolved(new)
        bodies.swapAt(index, new)
        let old = bodies.removeLast()
        bodies[index].dumps = []
        let body = bodies[index]
        bodies[index] = old
        let id = newID()
        let said = try await play(index, "pay with the lost card", .calm) {
            station, _ throws(TapcardError) in
            try await station.pay(Money(minorUnits: 1, .usd), id: id)
        }
        guard case .failure = said else { throw broken("a lost card pays") }
        bodies[index] = body
    }
}
