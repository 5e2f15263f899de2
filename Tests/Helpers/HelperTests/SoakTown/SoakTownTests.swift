import FaultyWorld
import SoakTown
import TapcardCore
import TestSupport
import Testing

/// A few seconds of the long simulation, which `make soak` runs for any length of time.
@Suite("A town of people with cards", .timeLimit(.minutes(30)))
struct SoakTownTests {
    @Test(
        "A town loses no cent, accuses no honest customer, and meets every expected event",
        .checkOnly)
    func towns() async throws {
        var tally = Tally()
        for seed: UInt64 in [4, 20_261_121] {
            var soak = Soak(seed: seed)
            let steps = 5 * Soak.townLength
            do {
                try await soak.play { $0.step < steps }
            } catch {
                Issue.record("seed \(seed), step \(error.step): \(error)")
                for line in soak.story { Issue.record("\(line)") }
            }
            #expect(soak.step == steps)
            tally.add(soak.tally)
        }
        for what in SoakTownTests.met { #expect(tally.counts[what] != nil, "\(what)") }
    }

    /// This includes restored backups and retired keys, after which the rows are copied in again.
    @Test(
        "A town with eight tills on PostgreSQL loses no cent and accuses no honest customer",
        .checkOnly)
    func townOnPostgreSQL() async throws {
        var soak = Soak(seed: 17, farStations: 8)
        do {
            try await soak.play { $0.step < Soak.townLength }
        } catch {
            Issue.record("step \(error.step): \(error)")
            for line in soak.story { Issue.record("\(line)") }
        }
        #expect(soak.tally.counts["taps on PostgreSQL", default: 0] > Soak.townLength / 2)
        #expect(soak.tally.counts["audits of PostgreSQL", default: 0] >= 10)
        #expect(soak.tally.counts["tills that met over a card"] != nil)
    }

    /// The events that must occur in the towns of both seeds together.
    private static let met = [
        "answers: pay done", "answers: add done", "answers: refund done",
        "answers: scratch done", "answers: ticket done", "answers: game done", "prizes: booked",
        "prizes: booked before", "prizes: disturbed",
        "answers: activate done", "answers: close done",
        "answers: issue done", "answers: re-issue done", "answers: demo done",
        "answers: adopt done", "answers: replace done", "answers: block done",
        "answers: unblock done", "answers: forget done", "answers: protect done",
        "answers: unprotect done", "answers: pay done, replayed", "answers: outcome-unknown",
        "answers: insufficient-balance", "answers: card-blocked", "answers: operation-voided",
        "answers: ledger-unavailable", "answers: operation-mismatch",
        "answers: ledger-behind at a stale till",
        "answers: none, the process died", "tills that met over a card",
        "answers: pay done, between two tills", "answers: outcome-unknown, between two tills",
        "accused: damaged", "accused: rolled-back", "accused: forged", "accused: ledger-behind",
        "taps on a card that is vandalised", "taps on a card that is restored",
        "taps on a card that is copied", "taps on a card that is keyRetired",
        "thieves: rolled-back", "thieves: copied", "thieves: forged",
        "thieves: paid with a whole copy", "thieves: clone of an NTAG 424",
        "thieves: old image of an NTAG 424", "vandals kept out by an NTAG 424",
        "NTAG 424 made a card",
        "NTAG 424 with new keys", "taps on an NTAG 424, disturbed", "fault: \(Mishap.forgedAnswer)",
        "hints: torn", "hints: somebody's hand",
        "fault: torn page", "fault: lost", "fault: acknowledge-lost", "fault: pulled-after",
        "fault: garbled", "fault: late", "fault: refused", "fault: weak pages turned bad",
        "fault: \(Mishap.killedBefore)", "fault: \(Mishap.killedAfter)",
        "fault: \(Mishap.ledgerOffline)", "fault: \(Mishap.ledgerGone)",
        "fault: \(Mishap.commitLost)", "fault: \(Mishap.commitUnknown)",
        "fault: \(Mishap.commitUnknownLedgerGone)", "claims resolved", "repairs",
        "resolved with a password", "vandals kept out by a password", "event: rotate",
        "event: retire", "event: restore",
        "towns closed with every cent counted",
    ]

    @Test(
        "A tap without a fault gives no excuse for accusing a good card",
        arguments: Body.Mark.allCases)
    func excuses(_ mark: Body.Mark) {
        for kind in TapcardError.Kind.allCases {
            #expect(!TapEvidence().bears(kind, mark), "\(kind)")
            #expect(!Trouble().explains(kind, open: true), "\(kind)")
        }
    }

    @Test("The same seed gives the same town at any step")
    func repeatable() async throws {
        var (first, second) = (Soak(seed: 7), Soak(seed: 7))
        try await first.play { $0.step < 2 * Soak.townLength }
        try await second.play(until: 2 * Soak.townLength)
        #expect(first.story == second.story && first.step == second.step)
        var other = Soak(seed: 8)
        try await other.play(until: 2 * Soak.townLength)
        #expect(other.story != first.story)
    }
}
