import Ledger
import TapcardDomain
import Testing

extension Scenario {
    /// The steps by which a tag gets its password and loses it.
    static let protection = [
        Scenario("a card is protected in two steps, each durable") { till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.protect(keyID: 3), id: 2)
            #expect(open.card.protection == .settingPassword(keyID: 3))
            #expect(try await till.knownCard().card.protection == .settingPassword(keyID: 3))
            let noted = try await till.ledger.advanceProtection(of: open, at: .end)
            #expect(noted?.card.protection == .switchingOn(keyID: 3))
            #expect(try await till.knownCard().card.protection == .switchingOn(keyID: 3))
            try await till.confirm(try #require(noted))
            #expect(try await till.knownCard().card.protection == .on(keyID: 3))
            #expect(try await till.ledger.operation(.numbered(2))?.kind == .protect)
        },
        Scenario("a step that was noted is not noted again") { till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.protect(keyID: 3), id: 2)
            for _ in 1...2 {
                // The answer may have been lost.
                let noted = try await till.ledger.advanceProtection(of: open, at: .end)
                #expect(noted?.card.protection == .switchingOn(keyID: 3))
            }
            #expect(try await till.knownCard().card.protection == .switchingOn(keyID: 3))
        },
        Scenario("a station that was overtaken notes no step") { till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.protect(keyID: 3), id: 2)
            let version = CardVersion(try await till.knownCard())
            let later = try await till.ledger.resume(
                open.operation, version: version, tagHolds: open.content.sequence,
                sealer: till.sealer, at: .end
            ).open()
            #expect(later.content.sequence > open.content.sequence)
            #expect(try await till.ledger.advanceProtection(of: open, at: .end) == nil)
            #expect(try await till.knownCard().card.protection == .settingPassword(keyID: 3))
        },
        Scenario("a tag that can never be switched again is noted as it is") { till in
            try await till.complete(.make(.sample(protection: .on(keyID: 0))), id: 1)
            let open = try await till.open(.unprotect, id: 2)
            let ended = try await till.ledger.endSwitching(
                of: open, as: .on(keyID: 0), voiding: true, at: .end)
            #expect(ended?.card.protection == .on(keyID: 0))
            #expect(try await till.knownCard().card.protection == .on(keyID: 0))
            #expect(try await till.knownCard().open == nil)
            #expect(try await till.ledger.operation(.numbered(2))?.state == .voided)
            // The record on the tag is not confirmed.
            let confirmation = try await till.ledger.confirm(try #require(ended), at: .end)
            #expect(
                confirmation == .voided(try #require(try await till.ledger.operation(.numbered(2))))
            )
            #expect(try await till.ledger.audit().violations == [])
        },
        Scenario("what was wanted of such a tag, and is so, is confirmed") { till in
            try await till.complete(.make(.sample(protection: .on(keyID: 0))), id: 1)
            let open = try await till.open(.unprotect, id: 2)
            let ended = try #require(
                try await till.ledger.endSwitching(of: open, as: .off, voiding: false, at: .end))
            #expect(try await till.ledger.operation(.numbered(2))?.state == .pending)
            try await till.confirm(ended)
            #expect(try await till.knownCard().card.protection == .off)
            #expect(try await till.ledger.operation(.numbered(2))?.state == .committed)
        },
        Scenario("a station that was overtaken ends no switching") { till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.protect(keyID: 3), id: 2)
            let later = try await till.ledger.resume(
                open.operation, version: CardVersion(try await till.knownCard()),
                tagHolds: open.content.sequence,
                sealer: till.sealer, at: .end
            ).open()
            #expect(later.content.sequence > open.content.sequence)
            let ended = try await till.ledger.endSwitching(
                of: open, as: .off, voiding: true, at: .end)
            #expect(ended == nil)
            #expect(try await till.ledger.operation(.numbered(2))?.state == .pending)
        },
        Scenario("a card gives its password back in two steps") { till in
            try await till.complete(.make(.sample(protection: .on(keyID: 0))), id: 1)
            #expect(try await till.knownCard().card.protection == .on(keyID: 0))
            let open = try await till.open(.unprotect, id: 2)
            #expect(open.card.protection == .switchingOff(keyID: 0))
            let noted = try #require(try await till.ledger.advanceProtection(of: open, at: .end))
            #expect(noted.card.protection == .clearingPassword(keyID: 0))
            try await till.confirm(noted)
            #expect(try await till.knownCard().card.protection == .off)
        },
        Scenario("neither is undone") { till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.protect(keyID: 1), id: 2).operation
            let version = CardVersion(try await till.knownCard())
            let answer = try await till.ledger.end(
                open, as: .voided, resealWith: .numbered(3), version: version, sealer: till.sealer,
                at: .end)
            #expect(answer == .refused(Refusal(.wrongState, "")))
            let voided = try await till.ledger.voidOpenPayment(
                on: .first, version: version, at: .end)
            #expect(voided == nil)
            #expect(try await till.knownCard().open?.id == open.id)
        },
        Scenario("a card is protected once, and only where it is in use") { till in
            try await till.complete(.make(.sample(protection: .on(keyID: 2))), id: 1)
            #expect(try await till.refusal(of: .protect(keyID: 2), id: 2) == .wrongState)
            try await till.complete(.issue(), id: 3, on: .second)
            #expect(try await till.refusal(of: .unprotect, id: 4, on: .second) == .wrongState)
            _ = try await till.ledger.change(.second, .block, id: .numbered(5), at: .end).get()
            #expect(
                try await till.refusal(of: .protect(keyID: 2), id: 6, on: .second) == .cardBlocked)
        },
        Scenario("a card that was closed gives its tag back") { till in
            try await till.complete(.make(.sample(protection: .on(keyID: 2))), id: 1)
            try await till.complete(.close, id: 2)
            #expect(try await till.knownCard().card.protection == .on(keyID: 2))
            let open = try await till.open(.unprotect, id: 3)
            #expect(open.card.protection == .switchingOff(keyID: 2))
        },
        Scenario("what a tag is found to be is noted, unless another station was there") { till in
            try await till.complete(.issue(), id: 1)
            let (ledger, on) = (till.ledger, CardProtection.on(keyID: 4))
            #expect(try await ledger.recordProtection(of: .first, on, insteadOf: .off))
            #expect(try await till.knownCard().card.protection == on)
            _ = try await till.open(.unprotect, id: 2)
            #expect(try await !ledger.recordProtection(of: .first, .off, insteadOf: on))
            let open = CardProtection.switchingOff(keyID: 4)
            #expect(try await till.knownCard().card.protection == open)
            #expect(try await ledger.recordProtection(of: .first, .off, insteadOf: open))
            #expect(try await till.knownCard().card.protection == .off)
            #expect(try await !ledger.recordProtection(of: .second, on, insteadOf: .off))
            #expect(try await till.ledger.knownCard(of: .second) == nil)
        },
        Scenario("a switching that is given up has not happened") { till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.protect(keyID: 3), id: 2).operation
            try await till.complete(
                .make(.sample(.replace(lost: .first))), id: 3, on: .second)
            #expect(try await till.ledger.operation(open.id)?.state == .voided)
        },
    ]
}
