import Ledger
import TapcardCore
import TapcardDomain
import Testing
import Verbs

@Suite("Remedies in error messages")
struct RemedyTests {
    private static let uid = CardUID(bytes: [4, 1, 2, 3, 4, 5, 6])
    private static let id = OperationID("0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f")

    /// The next steps of the core's errors that name an option.
    private static func steps() throws -> [NextStep] {
        let (uid, id) = (try #require(uid), try #require(id))
        let money = Money(minorUnits: 100, .usd)
        return [
            .tag(.tap(uid)), .tag(.useAnotherOrAllowAnyChip), .tag(.overwrite),
            .tag(.overwriteByIssuing), .tag(.makeCard(on: .ntag213)), .tag(.formatForNFC),
            .request(.confirm), .request(.repeatWithID(id)), .request(.repeatPayout(id)),
            .request(.specifyID), .request(.repeatIfIntended), .request(.refundAtMost(id, money)),
            .card(.payOutOrConfirm(money)), .card(.reissue), .card(.reissueTag),
            .card(.beginNewAccount), .card(.adoptOrReissue), .card(.adoptOrOverwrite),
            .card(.adopt(uid)), .card(.issue(on: .ntag213)), .card(.showHistory(uid)),
            .trust(.repair(uid)), .trust(.repairIfKnown(uid)), .trust(.blockIfUnsure(uid)),
            .trust(.blockOrRepair(uid)), .trust(.keepAndBlock(uid)), .trust(.replace(uid)),
            .lottery(.forgetDraws), .lottery(.buyForNextDraw), .service(.saveGame),
            .file(.importKeysOrOverwrite), .ledger(.restoreNewer(uid)),
        ]
    }

    /// Options after these words belong to the command that was given; after "tapcard ...", to the
    /// command named there.
    private static func options(of sentence: String) -> [String] {
        sentence.matches(of: /(?:add|with|out|repeat with|Leave) --([a-z-]+)(?! to tapcard)\b/)
            .filter { match in
                !sentence[match.range.upperBound...].hasPrefix(" to tapcard")
                    && sentence[..<match.range.lowerBound].firstMatch(
                        of: /tapcard [a-z ]+[^.,;]*$/) == nil
            }.map { String($0.output.1) }
    }

    @Test("Every option that a remedy advises is an option of the verb")
    func everyVerb() throws {
        var named: Set<String> = []
        for step in try Self.steps() {
            for option in Self.options(of: step.words.sentence) { named.insert(option) }
            for command in Command.all {
                let own = Set(command.spec.options.map(\.name))
                guard let fitting = step.fitting(command.spec) else { continue }
                let advised = Self.options(of: fitting.words.sentence)
                #expect(
                    own.isSuperset(of: advised),
                    "tapcard \(command.words): \(fitting.words.sentence)")
            }
        }
        #expect(named == ["any-chip", "overwrite", "yes", "operation", "again", "reissue", "draw"])
    }

    @Test("A payment does not advise --any-chip, which only making a card takes")
    func payment() throws {
        let pay = try #require(Command.all.first { $0.words == "pay" })
        let demo = try #require(Command.all.first { $0.words == "demo" })
        #expect(
            NextStep.tag(.useAnotherOrAllowAnyChip).fitting(pay.spec) == .tag(.useAnother))
        #expect(
            NextStep.tag(.useAnotherOrAllowAnyChip).fitting(demo.spec)
                == .tag(.useAnotherOrAllowAnyChip))
        #expect(NextStep.request(.confirm).fitting(pay.spec) == .request(.confirm))
    }
}
