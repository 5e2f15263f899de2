import CardCryptography
import Cards
import Ledger
import Tags
import TapcardCore
import TapcardDomain

extension RestingWorld {
    /// I8, checked in the bytes: nothing is open, the record is the confirmed one, the text for
    /// phones matches it, and no switch of the tag's protection is half done.
    package func unresolved() -> [Violation] {
        var found: [Violation] = []
        func expect(_ holds: Bool, _ detail: @autoclosure () -> String) {
            if !holds { found.append(Violation(.i8, detail())) }
        }
        let rows = ledger.issued[uid] ?? [:]
        guard let card, records != nil,
            let best = rows[bestSequence].flatMap({ SealedRecord($0.bytes) })
        else {
            return [Violation(.i8, "there is no record on the tag that was made for it")]
        }
        expect(open == nil, "operation \(open.map { "\($0.id)" } ?? "") is still open")
        expect(bestSequence == card.confirmed, "the record is not the confirmed one")
        expect(
            slots?.best?.record.bytes == best.bytes,
            "another record is taken for the best")
        expect(card.chip == memory.model, "the ledger has it on an \(card.chip)")
        expect(
            card.protection.isStable,
            "its protection is still being switched: \(card.protection.word)")
        let balance = balance
        expect(Int64(best.balance) == balance, "the record says \(best.balance), not \(balance)")
        expect(isDisplayGood, "what phones read is not what the ledger says")
        expect(!card.isDisplayStale, "what phones read is still called out of date")
        return found + protectionBroken() + chipBroken() + chipUnresolved(best)
    }

    /// Whether phones read what the ledger says: on a chip, the address, which never changes.
    var isDisplayGood: Bool {
        if let chip { return chip.hasAddress }
        guard let card, let image, let layout = CardLayout(card.chip) else { return false }
        let isClosed = card.status == .closed
        let face = CardFace(
            style: card.face, balance: Money(minorUnits: balance, .usd),
            holder: isClosed ? .nobody : card.holder, scratch: isClosed ? .none : card.scratch,
            ticket: card.ticket, game: card.game?.id)
        return image.area == (try? face.area(in: layout))
    }

    /// Taps undisturbed and checks I8 and the rules at rest. A tag that never became a card has
    /// nothing to resolve.
    package func resolving() async -> (world: RestingWorld, violations: [Violation]) {
        guard card != nil else { return (self, []) }
        let tap = await Tap.play(.read, in: self)
        var found = tap.violations
        if case .failed(let error) = tap.said, found.isEmpty {
            found.append(Violation(.i8, "the undisturbed tap failed: \(error)"))
        }
        found += tap.world.unresolved()
        found += await tap.world.broken()
        return (tap.world, found)
    }

    /// I8: where nothing is left to do, a read changes nothing.
    package func restless() async -> [Violation] {
        let tap = await Tap.play(.read, in: self)
        let hasWritten = tap.steps.contains { $0.isWrite || $0.act == .ledgerWrite }
        let words = "one more undisturbed tap has written something"
        return tap.violations + (hasWritten || tap.world != self ? [Violation(.i8, words)] : [])
    }

    /// I7: an earlier image of this tag is put back. If its best number is below the confirmed one,
    /// it must raise the alarm and change nothing; otherwise it must resolve.
    package func puttingBack(_ image: CardMemory) async -> [Violation] {
        guard let card else { return [] }
        var world = self
        world.memory = image
        world.weak = [:]
        let isOld = world.bestSequence < card.confirmed
        guard isOld else {
            if let password, case .pages(let tag) = image, !tag.has(password) {
                return await world.refusingToWrite()
            }
            // The settings are those of the image: it may ask for no password.
            return await world.resolving().violations.filter { $0.invariant != .protection }.map {
                Violation(
                    $0.invariant, "an earlier image was put back, as good as today's: \($0.detail)")
            }
        }
        let tap = await Tap.play(.read, in: world)
        guard case .failed(let error) = tap.said,
            error.kind == .rolledBack || error.kind == .damaged
                || (error.kind == .forged && !ledger.retiredKeyIDs.isEmpty)
                || (error.kind == .copied && image.model == .ntag424)
        else {
            return [
                Violation(
                    .i7,
                    "an image with number \(world.bestSequence) of \(card.confirmed) was accepted")
            ]
        }
        return tap.world == world
            ? [] : [Violation(.i7, "card or ledger was changed by an old image")]
    }

    /// The password that the card has according to the ledger.
    private var password: TagPassword? {
        card?.protection.possiblyRequiredKeyID.flatMap { Scene.keys.entry($0)?.masters }.map {
            TagPassword($0, uid: uid.bytes)
        }
    }

    /// Nothing is written to a tag without its card's password, however good its record is, because
    /// it may be a copy.
    private func refusingToWrite() async -> [Violation] {
        let tap = await Tap.play(.read, in: self)
        let isUntouched =
            tap.world.memory == memory && tap.world.ledger.operations == ledger.operations
            && tap.world.balance == balance
        let words = "a tag without its card's password was written to, or resolved"
        return tap.violations + (isUntouched ? [] : [Violation(.i7, words)])
    }

    /// I6: the same request gets its outcome again, and nothing happens twice.
    package func askingAgain(_ request: StationRequest) async -> [Violation] {
        guard let operation = request.operation(in: ledger) else { return [] }
        let tap = await Tap.play(request, in: self)
        var found = tap.violations
        switch (operation.state, tap.said) {
        case (.committed, .done): break
        case (.voided, .failed(let error)) where error.kind == .operationVoided: break
        default:
            found.append(
                Violation(
                    .i6, "\(request.name) is \(operation.state.rawValue); asked again: \(tap.said)")
            )
        }
        if request.operation(in: tap.world.ledger) != operation || tap.world.balance != balance {
            found.append(Violation(.i2, "\(request.name) was done again"))
        }
        return found + tap.world.unresolved()
    }
}
