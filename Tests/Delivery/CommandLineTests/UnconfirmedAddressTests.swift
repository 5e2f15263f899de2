import BlockingLane
import IdleDrivers
import TapcardDomain
import Testing
import TextCodecs
import Verbs

@Suite("Unconfirmed service addresses")
struct UnconfirmedAddressTests {
    private static let unset = NoServices.addresses.mapValues { _ in "" }.merging(
        ["TAPCARD_MASTERMIND_PASSWORD": "sandbox"]) { $1 }
    private static let names: [Settings.Name] = [.activationURL, .lotteryURL, .mastermindURL]

    /// Every verb that asks a service or might, with a command line that gets as far as asking.
    private static let lines: [(asked: Settings.Name?, line: String)] = Command.all.filter {
        $0.asks != nil
            || [Command.Group.lottery, .mastermind].map(\.rawValue).contains($0.spec.group)
    }.map {
        ($0.asks, $0.spec.example.replacing("tapcard ", with: "").replacing(" --slots 4", with: ""))
    }

    @Test("No verb asks a service before its built-in address is written into the settings")
    func confirmed() async throws {
        let services = AskedServices()
        let bench = try ProgramBench(services: services.all)
        func run(_ line: String) async -> ProgramBench.Ended {
            await bench.run(line, Self.unset)
        }
        func expectRefusals() async {
            for (asked, line) in Self.lines {
                let ended = await run(line)
                guard let asked else { continue }
                let address = asked.builtIn ?? "none"
                #expect(ended.status == 4, "\(line): \(ended.text)")
                #expect(
                    ended.text.contains(
                        "'s address, \(address), has not been confirmed yet. Nothing was sent"))
                #expect(ended.text.contains(": tapcard config set \(asked.rawValue) \(address)\n"))
            }
        }
        for line in ["demo", "add 20", "scratch"] {
            #expect(await run(line).status == 0, "\(line)")
        }
        await expectRefusals()
        #expect(services.count == 0)
        #expect(try await bench.document("read", Self.unset)["state"]?.string == "scratched")

        for name in Self.names {
            #expect(await run("config set \(name.rawValue) \(name.builtIn ?? "")").status == 0)
        }
        for (asked, line) in Self.lines where asked != nil {
            let before = services.count
            _ = await run(line)
            #expect(services.count > before, "\(line)")
        }

        let count = services.count
        for name in Self.names { #expect(await run("config set \(name.rawValue)").status == 0) }
        await expectRefusals()
        #expect(services.count == count)
    }

    @Test("The refusal of an unconfirmed address names the command that confirms it")
    func words() async throws {
        let bench = try ProgramBench()
        let address = "https://agimenez95.github.io/LottoDrawsJSON"
        #expect(
            await bench.run("--reader sim draws", Self.unset)
                == ProgramBench.Ended(
                    status: 4,
                    text:
                        "! tapcard: The lottery's address, \(address), has not been confirmed yet. "
                        + "Nothing was sent, and the card and the ledger are unchanged. Run this "
                        + "command to confirm it, or change the address in the command to use "
                        + "another one: tapcard --reader sim config set lottery-url \(address)\n"))
    }
}

/// All three services, which count their requests.
private final class AskedServices: ActivationService, LotteryService, MastermindService {
    private let asked = Guarded(0)

    var count: Int { asked.withLock { $0 } }
    var all: Services { Services(activation: self, lottery: self, mastermind: self) }

    private func note<Answer>(_ answer: Answer?) throws(ServiceError) -> Answer {
        asked.withLock { $0 += 1 }
        guard let answer else { throw NoServices.offline }
        return answer
    }

    func activate(_ code: ScratchCode) throws(ServiceError) -> ActivationAnswer {
        try note(.active)
    }
    func draws(forgetting: Bool) throws(ServiceError) -> Fetched<DrawList> {
        try note(try? FakeLottery.example().draws())
    }
    func tickets() throws(ServiceError) -> Fetched<[Ticket]> { try note(Fetched([])) }
    func logIn(
        user: String, password: String, timeToLive: Int?
    ) throws(ServiceError) -> MastermindToken { try note(MastermindToken("token")) }
    func start(
        slots: Int, with token: MastermindToken
    ) throws(ServiceError) -> MastermindGameID {
        try note(MastermindGameID(String(repeating: "a", count: 32)))
    }
    func guess(
        _ colors: [Int], in game: MastermindGameID, with token: MastermindToken
    ) throws(ServiceError) -> MastermindAnswer {
        let nothing = MastermindEvaluation(black: 0, white: 0)
        return try note(MastermindAnswer(nothing, guessCount: 1, slots: colors.count))
    }
    func ranking(with token: MastermindToken) throws(ServiceError) -> [MastermindRank] {
        try note([])
    }
}
