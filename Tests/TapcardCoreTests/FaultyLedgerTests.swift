import CardImage
import CardStore
import FaultyWorld
import Ledger
import SimulatedField
import TapcardCore
import TapcardDomain
import Testing
import Type2Tag

/// The ledger fails at any of its transactions while the card is on the reader.
@Suite("A ledger that fails in the middle of a tap")
struct FaultyLedgerTests {
    /// The deeds for which a station needs no other service than its ledger.
    private static let deeds = [
        "pay", "add", "scratch", "issue", "adopt", "close", "replace", "refund", "protect",
        "unprotect", "issue-protected", "pay-protected",
    ]

    @Test(
        "is asked again where one answer is lost", arguments: deeds,
        [Mishap.commitUnknown, .commitLost])
    func oneAnswerLost(_ name: String, _ fault: Mishap) async throws {
        try await eachCommit(of: name) { deed, commit, label in
            let tap = await deed.tap([commit: fault])
            #expect(tap.isDone && tap.violations == [], label)
            await expectToSettle(deed, tap.world, label)
        }
    }

    @Test("is never guessed at", arguments: deeds)
    func down(_ name: String) async throws {
        try await eachCommit(of: name) { deed, commit, label in
            let tap = await deed.tap([commit: .ledgerGone])
            #expect(tap.violations == [], label)
            let result = tap.failure?.result
            switch deed.operation(in: tap.world)?.state {
            case nil: #expect(result == .ledger, label)
            case .pending: #expect(result == .unknown, label)
            case .committed:
                // The balance of a new card is the ledger's to say.
                let isNew = deed.before.card == nil
                #expect(tap.isDone || isNew && result == .unknown, label)
            case .voided: Issue.record("no station voided it", sourceLocation: #_sourceLocation)
            }
            await expectToSettle(deed, tap.world, label)
        }
    }

    @Test("is not believed while its answers are lost", arguments: deeds)
    func answersLost(_ name: String) async throws {
        try await eachCommit(of: name) { deed, commit, label in
            // It leaves all steps alone that are not commits.
            let lasting = (commit..<commit + 200).map { ($0, Mishap.commitUnknown) }
            let tap = await deed.tap(Dictionary(uniqueKeysWithValues: lasting))
            let state = deed.operation(in: tap.world)?.state
            #expect(!tap.isDone || state == .committed, label)
            await expectToSettle(deed, tap.world, label)
        }
    }

    @Test("leaves the card untouched when it is down before the first WRITE", arguments: deeds)
    func downBeforeTheFirstWrite(_ name: String) async throws {
        let deed = try await PlayedDeed(name)
        let tap = await deed.tap([try #require(deed.whole.commits.first): .ledgerGone])
        #expect(tap.failure?.kind == .ledgerUnavailable && tap.failure?.result == .ledger)
        #expect(tap.world == deed.before && tap.violations == [])
    }

    @Test("posts a payment that the tag proves, if it is asked in time", arguments: [119, 120])
    func downAtConfirmation(_ seconds: Int64) async throws {
        let deed = try await PlayedDeed("pay")
        let tap = await deed.tap([deed.whole.commits[1]: .ledgerGone])
        #expect(tap.failure?.kind == .outcomeUnknown && tap.failure?.result.exitStatus == 6)
        var world = tap.world
        #expect(world.slots?.best?.record.balance == 750 && world.balance == 1_000)
        world.age(seconds: seconds)
        let (settled, violations) = await world.settling()
        #expect(violations == [])
        #expect(settled.balance == (seconds < 120 ? 750 : 1_000))
    }

    @Test(
        "does not say that nothing was written where this very tap has written it",
        arguments: [("pay", 750), ("add", 1_200), ("issue", nil)] as [(String, UInt32?)])
    func goneAfterTheRecord(_ name: String, _ balance: UInt32?) async throws {
        let deed = try await PlayedDeed(name)
        // Begun without an answer; resumed; and then the ledger is gone.
        let begun = [try #require(deed.whole.commits.first): Mishap.commitUnknown]
        let third = await deed.tap(begun).commits[2]
        let tap = await deed.tap(begun.merging([third: .ledgerGone]) { $1 })
        let error = try #require(tap.failure, "it was done without a ledger")
        #expect(error.kind == .outcomeUnknown)
        // The record of a new card proves nothing before its holder is on the tag as well.
        if let balance { #expect(tap.world.slots?.best?.record.balance == balance) }
        #expect(!error.meaning.contains("Nothing was written"))
        let (settled, violations) = await tap.world.settling()
        #expect(violations == [] && deed.operation(in: settled)?.state == .committed)
    }

    @Test(
        "does not deny what it may have confirmed when it is gone",
        arguments: [Chip.ntag215, .ntag424])
    func goneAfterTheConfirmation(_ chip: Chip) async throws {
        let deed = try await PlayedDeed("claim", on: chip)
        let begun = try #require(deed.whole.commits.first)
        let open = await deed.tap([begun: .killedAfter]).world
        let confirm = try #require(
            await Tap.play(deed.errand, in: open, keepsWorlds: true).steps.firstIndex {
                $0.after.map { deed.operation(in: $0)?.state } == .committed
            })
        let tap = await Tap.play(
            deed.errand, in: open,
            mishaps: [confirm: .commitLost, confirm + 1: .commitUnknownLedgerGone])
        #expect(tap.violations == [] && tap.failure?.kind == .outcomeUnknown)
        #expect(await tap.world.settling().violations == [])
    }

    @Test(
        "does not call current what phones read where its confirmation had no answer",
        arguments: deeds + ["activate"])
    func confirmationUnanswered(_ name: String) async throws {
        let deed = try await PlayedDeed(name)
        let confirm = try await deed.step(leavingIt: .committed)
        // Lost as often as it is asked again; the last time it is done.
        let tap = await deed.tap([
            confirm: .commitLost, confirm + 1: .commitLost, confirm + 2: .commitUnknown,
        ])
        #expect(deed.operation(in: tap.world)?.state == .committed)
        #expect(tap.violations == [] && tap.isDone)
        await expectToSettle(deed, tap.world, "\(name)")
    }

    @Test(
        "does not deny an activation that it may have begun, whatever the tag refuses then",
        arguments: [true, false])
    func activationPerhapsBegun(_ isAnswered: Bool) async throws {
        let deed = try await PlayedDeed("activate")
        let begun = try await deed.step(leavingIt: .pending)
        var mishaps = [begun: Mishap.commitUnknown]
        // Begun with an answer, and the first WRITE is lost.
        if isAnswered { mishaps = [begun + 1: .radioAndBack(.lost)] }
        let last = try #require(mishaps.keys.first)
        let look = try #require(await deed.tap(mishaps).frames.first { $0 > last })
        mishaps[look] = .radio(.refused(NAK.invalidArgument))
        let hidden = await deed.tap(mishaps)
        #expect(hidden.failure?.kind == .outcomeUnknown && hidden.violations == [])
        // The ledger is asked what became of it, and does not answer.
        mishaps[hidden.steps.count - 1] = .ledgerAway
        let tap = await deed.tap(mishaps)
        let error = try #require(tap.failure)
        #expect(error.kind == .outcomeUnknown && tap.violations == [])
        #expect(error.what.contains("The service has activated the code"))
        #expect(error.next == [.trust(.replace(nil))], "to tap the card again would not help")
        await expectToSettle(deed, tap.world, "hidden by a password")
    }

    @Test("names the open operation of a card that cannot be trusted any more")
    func openOnDamagedCard() async throws {
        let deed = try await PlayedDeed("add")
        var world = await deed.tap([deed.whole.writes[0]: .radio(.lost)]).world
        world.tag[0x20] = .zero
        world.tag[0x24] = .zero
        let id = try #require(deed.operation(in: world)).id
        let error = try #require(await Tap.play(deed.errand, in: world).failure)
        #expect(error.kind == .damaged && error.result.exitStatus == 7)
        #expect(error.what.contains("\(id) is still open"))
    }

    /// Runs the check for each transaction of the deed that may change something.
    private func eachCommit(
        of name: String, _ check: (PlayedDeed, Int, Comment) async throws -> Void
    ) async throws {
        let deed = try await PlayedDeed(name)
        #expect(deed.whole.commits.count >= 2)
        for commit in deed.whole.commits {
            try await check(deed, commit, "\(name), transaction at step \(commit)")
        }
    }

    /// With the ledger back, one tap brings card and ledger together, and the deed is done or not.
    private func expectToSettle(
        _ deed: PlayedDeed, _ world: RestingWorld, _ label: Comment
    ) async {
        let (settled, violations) = await world.settling()
        #expect(violations == [], label)
        #expect(await settled.askingAgain(deed.errand) == [], label)
        let isDone = deed.operation(in: settled)?.state == .committed
        let expected = isDone ? deed.whole.world : deed.before
        #expect(settled.effects == expected.effects, label)
    }
}

extension RestingWorld {
    /// How each card stands and what was done on it, whatever numbers it took to get there.
    fileprivate var effects: [CardUID: [String]] {
        ledger.cards.mapValues { card in
            let balance = ledger.entries.reduce(0) {
                $0 + ($1.account == card.purse ? $1.amount : 0)
            }
            let hasCode = card.scratch.code != nil
            let done = ledger.operations.values.filter {
                $0.uid == card.uid && $0.state == .committed && $0.kind != .reseal
            }
            return ["\(balance)", "\(card.status)", "\(hasCode)", "\(card.protection)"]
                + done.map(\.kind.rawValue).sorted()
        }
    }
}
