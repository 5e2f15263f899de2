import FaultyWorld
import Ledger
import TapcardDomain

/// A rule about what a request may mean, with the schedules of one or two stations that fail
/// without it.
struct Encounter {
    let rule: SafetyRule
    /// Returns the failure, or nil if there is none, and how many schedules were played.
    let play: @Sendable () async -> (finding: String?, schedules: Int)

    static func of(_ rule: SafetyRule) -> Encounter? {
        (all + forTill + AgentRules.all + DrawerRules.all + DatabaseRules.all).first {
            $0.rule == rule
        }
    }

    /// Rules of the till page's server.
    private static let forTill: [Encounter] =
        [.oncePerVisit, .unseenCardIsLookedUp, .repetitionBeginsNothing, .withdrawnIsNotBegun]
        .map { rule in
            Encounter(rule: rule) {
                let played = TillStories.play()
                return (played.finding, played.count)
            }
        }
        + [.onlyArrivingCardPays, .withdrawnStaysDisarmed, .armedSaleExpires].map { rule in
            Encounter(rule: rule) {
                let played = ArmingStories.play()
                return (played.finding, played.stories)
            }
        }

    private static let all = [
        Encounter(rule: .parametersAtTheTag) {
            // The first station asks whether the id is known. Then the second one uses it for a
            // different request, and the card is taken away in the middle.
            guard let script = Script.all.first(where: { $0.request.name == "pay" }) else {
                return ("there is no payment", 0)
            }
            let world = await script.request.world(on: script.chip)
            let longest = 60
            for steps in 1...longest {
                let duel = Duel(
                    script, areReadersCareless: false, second: .payment, opening: .none,
                    turns: [
                        // The first step is to come to the till, and the second is that question.
                        Duel.Turn(steps: 2, movesCard: true),
                        Duel.Turn(steps: steps, movesCard: true),
                    ], fault: nil)
                let outcome = await duel.play(
                    [EnumeratedRequest.payOne, EnumeratedRequest.addSeven], in: world,
                    keepsWorlds: false)
                let kind = EnumeratedRequest.addSeven.operation(in: outcome.rest.ledger)?.kind
                if case .done = outcome.said[0], kind != .pay {
                    return ("the payment was said to be done; the id is that of a top-up", steps)
                }
            }
            return (nil, longest)
        },
        Encounter(rule: .requestBelongsToItsID) {
            guard let replace = EnumeratedRequest.named("replace") else {
                return ("there is no request", 0)
            }
            let world = await Tap.play(
                replace.stationRequest, in: await replace.world(on: .ntag213)
            ).world
            let said = await Tap.play(EnumeratedRequest.replaceAnother, in: world).said
            guard case .done = said else { return (nil, 1) }
            return ("another card was said to be replaced under the same id", 1)
        },
        Encounter(rule: .payoutIsReportedOnce) {
            guard let claim = EnumeratedRequest.named("claim") else {
                return ("there is no request", 0)
            }
            var world = await claim.world(on: .ntag215)
            world = await Tap.play(EnumeratedRequest.payOut(30, wonBy: world), in: world).world
            let said = await Tap.play(EnumeratedRequest.payOut(31, wonBy: world), in: world).said
            guard case .done = said else { return (nil, 1) }
            return ("the same prize was said to be booked for paying out twice", 1)
        },
        Encounter(rule: .oneOperationAtTheReader) {
            (await Crowding.isPrevented() ? nil : "a second operation used the reader", 1)
        },
    ]
}
