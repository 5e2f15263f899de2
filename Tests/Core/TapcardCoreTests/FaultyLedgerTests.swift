import Cards
import FaultyWorld
import Ledger
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// The ledger fails at any of its transactions while the card is on the reader.
@Suite("Ledger failures during a tap")
struct FaultyLedgerTests {
    /// The requests that need no service except the ledger.
    private static let requests = [
        "pay", "add", "scratch", "issue", "adopt", "close", "replace", "refund", "protect",
        "unprotect", "issue-protected", "pay-protected",
    ]

    @Test(
        "A request is completed although one of its commits or its answer is lost",
        arguments: requests,
        [Mishap.commitUnknown, .commitLost])
    func oneAnswerLost(_ name: String, _ fault: Mishap) async throws {
        try await eachCommit(of: name) { request, commit, label in
            let tap = await request.tap([commit: fault])
            #expect(tap.isDone && tap.violations == [], label)
            await expectToResolve(request, tap.world, label)
        }
    }

    @Test("A request that loses its ledger reports only what is certain", arguments: requests)
    func down(_ name: String) async throws {
        try await eachCommit(of: name) { request, commit, label in
            let tap = await request.tap([commit: .ledgerGone])
            #expect(tap.violations == [], label)
            let result = tap.failure?.result
            switch request.operation(in: tap.world)?.state {
            case nil: #expect(result == .ledger, label)
            case .pending: #expect(result == .unknown, label)
            case .committed:
                // The balance of a new card is the ledger's to say.
                let isNew = request.before.card == nil
                #expect(tap.isDone || isNew && result == .unknown, label)
            case .voided: Issue.record("no station voided it", sourceLocation: #_sourceLocation)
            }
            await expectToResolve(request, tap.world, label)
        }
    }

    @Test("No request is reported as done unless it was committed", arguments: requests)
    func answersLost(_ name: String) async throws {
        try await eachCommit(of: name) { request, commit, label in
            // Steps that are not commits are left alone.
            let uncertain = (commit..<commit + 200).map { ($0, Mishap.commitUnknown) }
            let tap = await request.tap(Dictionary(uniqueKeysWithValues: uncertain))
            let state = request.operation(in: tap.world)?.state
            #expect(!tap.isDone || state == .committed, label)
            await expectToResolve(request, tap.world, label)
        }
    }

    @Test(
        "A ledger that fails before the first write leaves the card untouched", arguments: requests)
    func downBeforeTheFirstWrite(_ name: String) async throws {
        let request = try await PlayedRequest(name)
        let tap = await request.tap([try #require(request.whole.commits.first): .ledgerGone])
        #expect(tap.failure?.kind == .ledgerUnavailable && tap.failure?.result == .ledger)
        #expect(tap.world == request.before && tap.violations == [])
    }

    @Test(
        "No error says that nothing was written after the tap wrote the record",
        arguments: [("pay", 750), ("add", 1_200), ("issue", nil)] as [(String, UInt32?)])
    func goneAfterTheRecord(_ name: String, _ balance: UInt32?) async throws {
        let request = try await PlayedRequest(name)
        // Begun without an answer; resumed; and then the ledger is gone.
        let begun = [try #require(request.whole.commits.first): Mishap.commitUnknown]
        let third = await request.tap(begun).commits[2]
        let tap = await request.tap(begun.merging([third: .ledgerGone]) { $1 })
        let error = try #require(tap.failure, "it was done without a ledger")
        #expect(error.kind == .outcomeUnknown)
        // The record of a new card proves nothing before its holder is on the tag as well.
        if let balance { #expect(tap.world.slots?.best?.record.balance == balance) }
        #expect(!error.meaning.contains("Nothing was written"))
        #expect(!error.meaning.contains("The card was not written"))
        let (resolved, violations) = await tap.world.resolving()
        #expect(violations == [] && request.operation(in: resolved)?.state == .committed)
    }

    @Test(
        "A claim that the ledger may have confirmed has an unknown outcome",
        arguments: [Chip.ntag215, .ntag424])
    func goneAfterTheConfirmation(_ chip: Chip) async throws {
        let request = try await PlayedRequest("claim", on: chip)
        let begun = try #require(request.whole.commits.first)
        let open = await request.tap([begun: .killedAfter]).world
        let confirm = try #require(
            await Tap.play(request.stationRequest, in: open, keepsWorlds: true).steps.firstIndex {
                $0.after.map { request.operation(in: $0)?.state } == .committed
            })
        let tap = await Tap.play(
            request.stationRequest, in: open,
            mishaps: [confirm: .commitLost, confirm + 1: .commitUnknownLedgerGone])
        #expect(tap.violations == [] && tap.failure?.kind == .outcomeUnknown)
        #expect(await tap.world.resolving().violations == [])
    }

    @Test(
        "A request is completed although its confirmation gets no answer",
        arguments: requests + ["activate"])
    func confirmationUnanswered(_ name: String) async throws {
        let request = try await PlayedRequest(name)
        let confirm = try await request.step(leavingIt: .committed)
        // Lost as often as it is asked again; the last time it is done.
        let tap = await request.tap([
            confirm: .commitLost, confirm + 1: .commitLost, confirm + 2: .commitUnknown,
        ])
        #expect(request.operation(in: tap.world)?.state == .committed)
        #expect(tap.violations == [] && tap.isDone)
        await expectToResolve(request, tap.world, "\(name)")
    }

    @Test(
        "An activation that may have begun is never denied, whatever the tag refuses",
        arguments: [true, false])
    func activationPerhapsBegun(_ isAnswered: Bool) async throws {
        let request = try await PlayedRequest("activate")
        let begun = try await request.step(leavingIt: .pending)
        var mishaps = [begun: Mishap.commitUnknown]
        // Begun with an answer, and the first WRITE is lost.
        if isAnswered { mishaps = [begun + 1: .radioAndBack(.lost)] }
        let last = try #require(mishaps.keys.first)
        let look = try #require(await request.tap(mishaps).frames.first { $0 > last })
        mishaps[look] = .radio(.refused(NAK.invalidArgument))
        let hidden = await request.tap(mishaps)
        #expect(hidden.failure?.kind == .outcomeUnknown && hidden.violations == [])
        // The ledger is asked what became of it, and does not answer.
        mishaps[hidden.steps.count - 1] = .ledgerOffline
        let tap = await request.tap(mishaps)
        let error = try #require(tap.failure)
        #expect(error.kind == .outcomeUnknown && tap.violations == [])
        #expect(error.what.contains("The service activated the code"))
        #expect(error.next == [.trust(.replace(nil))], "to tap the card again would not help")
        await expectToResolve(request, tap.world, "hidden by a password")
    }

    @Test("The error for a damaged card names its open operation")
    func openOnDamagedCard() async throws {
        let request = try await PlayedRequest("add")
        var world = await request.tap([request.whole.writes[0]: .radio(.lost)]).world
        world.tag[0x20] = .zero
        world.tag[0x24] = .zero
        let id = try #require(request.operation(in: world)).id
        let error = try #require(await Tap.play(request.stationRequest, in: world).failure)
        #expect(error.kind == .damaged && error.result.exitStatus == 7)
        #expect(error.what.contains("\(id) is still open"))
    }

    /// Runs the check for each transaction of the request that may change something.
    private func eachCommit(
        of name: String, _ check: (PlayedRequest, Int, Comment) async throws -> Void
    ) async throws {
        let request = try await PlayedRequest(name)
        #expect(request.whole.commits.count >= 2)
        for commit in request.whole.commits {
            try await check(request, commit, "\(name), transaction at step \(commit)")
        }
    }

    /// Expects one tap with a working ledger to resolve the card, with the request done or undone.
    private func expectToResolve(
        _ request: PlayedRequest, _ world: RestingWorld, _ label: Comment
    ) async {
        let (resolved, violations) = await world.resolving()
        #expect(violations == [], label)
        #expect(await resolved.askingAgain(request.stationRequest) == [], label)
        let isDone = request.operation(in: resolved)?.state == .committed
        let expected = isDone ? request.whole.world : request.before
        #expect(resolved.effects == expected.effects, label)
    }
}

extension RestingWorld {
    /// The state of each card and what was done on it, whatever sequence numbers that took.
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
