import Ledger
import TapcardDomain
import Testing

extension Scenario {
    /// The steps by which a tag comes to its password, and loses it.
    static let protection = [
        Scenario("a card is protected in two steps, each durable") { desk in
            try await desk.complete(.issue(), id: 1)
            let work = try await desk.work(.protect(keyID: 3), id: 2)
            #expect(work.card.protection == .settingPassword(keyID: 3))
            #expect(try await desk.view().card.protection == .settingPassword(keyID: 3))
            let noted = try await desk.ledger.advanceProtection(of: work, at: .end)
            #expect(noted?.card.protection == .switchingOn(keyID: 3))
            #expect(try await desk.view().card.protection == .switchingOn(keyID: 3))
            try await desk.confirm(try #require(noted))
            #expect(try await desk.view().card.protection == .on(keyID: 3))
            #expect(try await desk.ledger.operation(.numbered(2))?.kind == .protect)
        },
        Scenario("a step that was noted is not noted again") { desk in
            try await desk.complete(.issue(), id: 1)
            let work = try await desk.work(.protect(keyID: 3), id: 2)
            for _ in 1...2 {
                // The answer may have been lost.
                let noted = try await desk.ledger.advanceProtection(of: work, at: .end)
                #expect(noted?.card.protection == .switchingOn(keyID: 3))
            }
            #expect(try await desk.view().card.protection == .switchingOn(keyID: 3))
        },
        Scenario("a station that was overtaken notes no step") { desk in
            try await desk.complete(.issue(), id: 1)
            let work = try await desk.work(.protect(keyID: 3), id: 2)
            let seen = Seen(try await desk.view())
            let later = try await desk.ledger.resume(
                work.operation, seen: seen, tagHolds: work.content.sequence,
                sealer: desk.sealer, at: .end
            ).work()
            #expect(later.content.sequence > work.content.sequence)
            #expect(try await desk.ledger.advanceProtection(of: work, at: .end) == nil)
            #expect(try await desk.view().card.protection == .settingPassword(keyID: 3))
        },
        Scenario("a tag that can never be switched again is noted as it is") { desk in
            try await desk.complete(.make(.sample(protection: .on(keyID: 0))), id: 1)
            let work = try await desk.work(.unprotect, id: 2)
            let ended = try await desk.ledger.endSwitching(
                of: work, as: .on(keyID: 0), voiding: true, at: .end)
            #expect(ended?.card.protection == .on(keyID: 0))
            #expect(try await desk.view().card.protection == .on(keyID: 0))
            #expect(try await desk.view().open == nil)
            #expect(try await desk.ledger.operation(.numbered(2))?.state == .voided)
            // The record on the tag is not confirmed.
            let confirmation = try await desk.ledger.confirm(try #require(ended), at: .end)
            #expect(
                confirmation == .voided(try #require(try await desk.ledger.operation(.numbered(2))))
            )
            #expect(try await desk.ledger.audit().violations == [])
        },
        Scenario("what was wanted of such a tag, and is so, is confirmed") { desk in
            try await desk.complete(.make(.sample(protection: .on(keyID: 0))), id: 1)
            let work = try await desk.work(.unprotect, id: 2)
            let ended = try #require(
                try await desk.ledger.endSwitching(of: work, as: .off, voiding: false, at: .end))
            #expect(try await desk.ledger.operation(.numbered(2))?.state == .pending)
            try await desk.confirm(ended)
            #expect(try await desk.view().card.protection == .off)
            #expect(try await desk.ledger.operation(.numbered(2))?.state == .committed)
        },
        Scenario("a station that was overtaken ends no switching") { desk in
            try await desk.complete(.issue(), id: 1)
            let work = try await desk.work(.protect(keyID: 3), id: 2)
            let later = try await desk.ledger.resume(
                work.operation, seen: Seen(try await desk.view()), tagHolds: work.content.sequence,
                sealer: desk.sealer, at: .end
            ).work()
            #expect(later.content.sequence > work.content.sequence)
            let ended = try await desk.ledger.endSwitching(
                of: work, as: .off, voiding: true, at: .end)
            #expect(ended == nil)
            #expect(try await desk.ledger.operation(.numbered(2))?.state == .pending)
        },
        Scenario("a card gives its password back in two steps") { desk in
            try await desk.complete(.make(.sample(protection: .on(keyID: 0))), id: 1)
            #expect(try await desk.view().card.protection == .on(keyID: 0))
            let work = try await desk.work(.unprotect, id: 2)
            #expect(work.card.protection == .switchingOff(keyID: 0))
            let noted = try #require(try await desk.ledger.advanceProtection(of: work, at: .end))
            #expect(noted.card.protection == .clearingPassword(keyID: 0))
            try await desk.confirm(noted)
            #expect(try await desk.view().card.protection == .off)
        },
        Scenario("neither is undone") { desk in
            try await desk.complete(.issue(), id: 1)
            let open = try await desk.work(.protect(keyID: 1), id: 2).operation
            let seen = Seen(try await desk.view())
            let answer = try await desk.ledger.end(
                open, as: .voided, resealWith: .numbered(3), seen: seen, sealer: desk.sealer,
                at: .end)
            #expect(answer == .refused(Refusal(.wrongState, "")))
            let voided = try await desk.ledger.voidOpenPayment(on: .first, seen: seen, at: .end)
            #expect(voided == nil)
            #expect(try await desk.view().open?.id == open.id)
        },
        Scenario("a card is protected once, and only where it is in use") { desk in
            try await desk.complete(.make(.sample(protection: .on(keyID: 2))), id: 1)
            #expect(try await desk.refusal(of: .protect(keyID: 2), id: 2) == .wrongState)
            try await desk.complete(.issue(), id: 3, on: .second)
            #expect(try await desk.refusal(of: .unprotect, id: 4, on: .second) == .wrongState)
            _ = try await desk.ledger.change(.second, .block, id: .numbered(5), at: .end).get()
            #expect(
                try await desk.refusal(of: .protect(keyID: 2), id: 6, on: .second) == .cardBlocked)
        },
        Scenario("a card that was closed gives its tag back") { desk in
            try await desk.complete(.make(.sample(protection: .on(keyID: 2))), id: 1)
            try await desk.complete(.close, id: 2)
            #expect(try await desk.view().card.protection == .on(keyID: 2))
            let work = try await desk.work(.unprotect, id: 3)
            #expect(work.card.protection == .switchingOff(keyID: 2))
        },
        Scenario("what a tag is found to be is noted, unless another station was there") { desk in
            try await desk.complete(.issue(), id: 1)
            let (ledger, on) = (desk.ledger, CardProtection.on(keyID: 4))
            #expect(try await ledger.noteProtection(of: .first, on, insteadOf: .off))
            #expect(try await desk.view().card.protection == on)
            _ = try await desk.work(.unprotect, id: 2)
            #expect(try await !ledger.noteProtection(of: .first, .off, insteadOf: on))
            let open = CardProtection.switchingOff(keyID: 4)
            #expect(try await desk.view().card.protection == open)
            #expect(try await ledger.noteProtection(of: .first, .off, insteadOf: open))
            #expect(try await desk.view().card.protection == .off)
            #expect(try await !ledger.noteProtection(of: .second, on, insteadOf: .off))
            #expect(try await desk.ledger.view(of: .second) == nil)
        },
        Scenario("a switching that is given up has not happened") { desk in
            try await desk.complete(.issue(), id: 1)
            let open = try await desk.work(.protect(keyID: 3), id: 2).operation
            try await desk.complete(
                .make(.sample(.replace(lost: .first))), id: 3, on: .second)
            #expect(try await desk.ledger.operation(open.id)?.state == .voided)
        },
    ]
}
