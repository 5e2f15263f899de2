import FaultyWorld
import Ledger
import TapcardDomain

/// Rules that are about what a request may mean: each with the schedules that tell where it is left
/// out, of one station or of two.
struct Encounter {
    let rule: SafetyRule
    /// The failure, and how many schedules were played; nil where all of it went well.
    let play: @Sendable () async -> (finding: String?, schedules: Int)

    static func of(_ rule: SafetyRule) -> Encounter? {
        (all + ofCounter + DatabaseRules.all).first { $0.rule == rule }
    }

    /// Rules of the counter page's server.
    private static let ofCounter: [Encounter] =
        [.oncePerVisit, .unseenCardIsAskedAbout, .repetitionBeginsNothing, .withdrawnIsNotBegun]
        .map { rule in
            Encounter(rule: rule) {
                let played = CounterStories.play()
                return (played.finding, played.count)
            }
        }

    private static let all = [
        Encounter(rule: .parametersAtTheTag) {
            // The first station has asked whether the id is known; then the second uses it for
            // something else, and its card is taken away in the middle.
            guard let script = Script.all.first(where: { $0.deed.name == "pay" }) else {
                return ("there is no payment", 0)
            }
            let world = await script.deed.world(on: script.chip)
            let longest = 60
            for steps in 1...longest {
                let duel = Duel(
                    script, areReadersCareless: false, second: .payment, opening: .none,
                    turns: [
                        // Its first step is to come to the counter, the second is that question.
                        Duel.Turn(steps: 2, movesCard: true),
                        Duel.Turn(steps: steps, movesCard: true),
                    ], fault: nil)
                let outcome = await duel.play(
                    [Deed.payOne, Deed.addSeven], in: world, keepsWorlds: false)
                let kind = Deed.addSeven.operation(in: outcome.rest.ledger)?.kind
                if case .done = outcome.said[0], kind != .pay {
                    return ("the payment was said to be done; the id is that of an addition", steps)
                }
            }
            return (nil, longest)
        },
        Encounter(rule: .orderBelongsToItsID) {
            guard let replace = Deed.named("replace") else { return ("there is no deed", 0) }
            let world = await Tap.play(replace.errand, in: await replace.world(on: .ntag213)).world
            let said = await Tap.play(Deed.replaceAnother, in: world).said
            guard case .done = said else { return (nil, 1) }
            return ("another card was said to be replaced under the same id", 1)
        },
        Encounter(rule: .payoutIsToldOnce) {
            guard let claim = Deed.named("claim") else { return ("there is no deed", 0) }
            var world = await claim.world(on: .ntag215)
            world = await Tap.play(Deed.payOut(30, wonBy: world), in: world).world
            let said = await Tap.play(Deed.payOut(31, wonBy: world), in: world).said
            guard case .done = said else { return (nil, 1) }
            return ("the same prize was said to be booked for paying out twice", 1)
        },
        Encounter(rule: .oneOperationAtTheReader) {
            (await Crowding.isPrevented() ? nil : "a second operation used the reader", 1)
        },
    ]
}
