import FaultyWorld
import Ledger
import SimulatedReader
import TapcardCore
import TapcardDomain
import Testing

/// Earlier findings of the fault enumerator: completed requests that were reported as not done.
@Suite("Answers about a completed request")
struct TrueAnswersTests {
    private func isDone(_ said: Said) -> Bool {
        if case .done = said { true } else { false }
    }

    @Test(
        "A completed request is confirmed on repetition even if the card cannot be read",
        arguments: ["issue", "adopt", "replace", "issue-protected"],
        [Fault.Kind.lost, .late, .garbled, .refused(0)])
    func repeatedMaking(_ name: String, _ fault: Fault.Kind) async throws {
        let request = try #require(EnumeratedRequest.named(name))
        let made = await Tap.play(request.stationRequest, in: await request.world(on: .ntag213))
            .world
        let whole = await Tap.play(request.stationRequest, in: made)
        for (step, _) in whole.steps.enumerated().filter({ $0.element.isFrame }) {
            for mishap in [Mishap.radio(fault), .radioAndBack(fault)] {
                let again = await Tap.play(
                    request.stationRequest, in: made, mishaps: [step: mishap])
                #expect(isDone(again.said), "step \(step), \(mishap): \(again.said)")
                #expect(again.violations == [])
            }
        }
    }

    @Test(
        "A request that was begun before is reported as done or unknown if nothing answers",
        arguments: ["issue", "adopt", "replace", "issue-protected"])
    func repeatedWithoutAnswers(_ name: String) async throws {
        let request = try #require(EnumeratedRequest.named(name))
        let start = await request.world(on: .ntag213)
        let writes = await Tap.play(request.stationRequest, in: start).steps.enumerated().filter {
            $0.element.act == .ledgerWrite
        }
        var answers: Set<Operation.State> = []
        for (write, _) in writes {
            let begun = await Tap.play(
                request.stationRequest, in: start, mishaps: [write: .killedAfter]
            )
            .world
            let state = try #require(request.stationRequest.operation(in: begun.ledger)?.state)
            let whole = await Tap.play(request.stationRequest, in: begun).steps
            for (step, _) in whole.enumerated().filter({ $0.element.isFrame }) {
                let lost = [step: Mishap.radio(.lost)]
                let again = await Tap.play(request.stationRequest, in: begun, mishaps: lost)
                var said = [(again, "")]
                for later in step + 1..<max(step + 1, again.steps.count) {
                    let mishaps = lost.merging([later: .ledgerGone]) { first, _ in first }
                    let tap = await Tap.play(request.stationRequest, in: begun, mishaps: mishaps)
                    said.append((tap, ", the ledger is offline from step \(later) on"))
                }
                for (tap, label) in said {
                    #expect(tap.violations == [], "step \(step)\(label): \(tap.said)")
                    #expect(isDone(tap.said) || isUnknown(tap.said), "step \(step)\(label)")
                    if isUnknown(tap.said) { answers.insert(state) }
                }
            }
        }
        #expect(answers == [.pending, .committed])
    }

    private func isUnknown(_ said: Said) -> Bool {
        if case .failed(let error) = said { error.kind == .outcomeUnknown } else { false }
    }

    @Test("A completed request is not taken for a different request")
    func otherRequest() async throws {
        let issue = try #require(EnumeratedRequest.named("issue"))
        let adopt = try #require(EnumeratedRequest.named("adopt"))
        let made = await Tap.play(issue.stationRequest, in: await issue.world(on: .ntag213)).world
        for mishaps in [[:], [1: Mishap.radio(.lost)]] {
            let other = await Tap.play(adopt.stationRequest, in: made, mishaps: mishaps)
            guard case .failed(let error) = other.said else {
                Issue.record("\(other.said)")
                return
            }
            #expect([.operationMismatch, .refusal(.cardKnown), .tagLost].contains(error.kind))
            #expect(other.world == made)
        }
    }

    @Test("A completed request is reported as done even if the ledger then goes offline")
    func ledgerGoneBehindIt() async throws {
        let request = try #require(EnumeratedRequest.named("activate"))
        let world = await request.world(on: .ntag213)
        let whole = await Tap.play(request.stationRequest, in: world, keepsWorlds: true)
        // The last WRITE of the record, its read-back, the confirmation; then the display.
        let commit = try #require(whole.steps.lastIndex { $0.act == .ledgerWrite })
        let readBack = try #require(whole.steps[..<commit].lastIndex { $0.isFrame })
        let pulled = await Tap.play(
            request.stationRequest, in: world, mishaps: [readBack: .radio(.pulledAfter)])
        #expect(isDone(pulled.said))
        for step in commit + 1..<pulled.steps.count {
            let tap = await Tap.play(
                request.stationRequest, in: world,
                mishaps: [readBack: .radio(.pulledAfter), step: .ledgerGone])
            #expect(isDone(tap.said), "the ledger is offline from step \(step) on: \(tap.said)")
            #expect(tap.violations == [])
        }
    }
}
