package import TapcardCore

/// A row of the command table with its implementation.
package struct Command: Sendable {
    package let spec: CommandSpec
    /// The setting with the service address that must be confirmed first; nil if the command
    /// contacts no service.
    package let asks: Settings.Name?
    /// How the page calls the command; nil for commands meant for a terminal or an operator.
    package let page: PageCall?
    /// The document that `--json` prints.
    package let answers: PrintedDocument
    private let work: Work

    package typealias Work = @Sendable (Session) async throws(TapcardError) -> Report

    package init<each Value>(
        _ words: String, group: Group, _ summary: String, discussion: String = "",
        takes parameters: repeat Parameter<each Value>, asks: Settings.Name? = nil,
        page: PageCall? = nil, answers: PrintedDocument, example: String, run work: @escaping Work
    ) {
        var rows: [CommandParameter] = []
        repeat rows.append((each parameters).row)
        let spec = CommandSpec(
            path: words.split(separator: " ").map(String.init), summary: summary,
            discussion: discussion, parameters: rows, example: example, group: group.rawValue)
        self.init(spec, asks: asks, page: page, answers: answers, run: work)
    }

    package init(
        _ spec: CommandSpec, asks: Settings.Name? = nil, page: PageCall? = nil,
        answers: PrintedDocument, run work: @escaping Work
    ) {
        (self.spec, self.asks, self.page) = (spec, asks, page)
        (self.answers, self.work) = (answers, work)
    }

    /// Whether an operation ID makes a retry safe.
    package var takesOperation: Bool { takes(.operation) }

    package func run(in session: Session) async throws(TapcardError) -> Report {
        do throws(TapcardError) {
            if let asks { try session.settings.requireConfirmed(asks) }
            return try await work(session)
        } catch {
            // The advice may mention an option that only other commands accept.
            throw error.fitting(spec)
        }
    }

    func takes<Value>(_ parameter: Parameter<Value>) -> Bool {
        spec.parameters.contains { $0.name == parameter.row.name }
    }

    package var words: String { spec.path.joined(separator: " ") }

    /// The headings of the overview, in order.
    package enum Group: String {
        case cards = "Cards"
        case money = "Money"
        case lottery = "Lottery"
        case mastermind = "Mastermind"
        case operators = "Card tools"
        case tags = "Tags"
        case readers = "Readers"
        case station = "This machine"
        case ledger = "Shared ledger"
        case simulation = "Simulation"
    }

    /// The commands that are run most often.
    package static let common: [Command] = cardCommands + moneyCommands

    /// The commands that need only a station. The program adds the commands that describe the
    /// command table itself and the commands that need its executable.
    package static let all: [Command] =
        common + receiptCommands + productCommands + shiftCommands + reportCommands + drawCommands
        + ticketCommands + mastermindCommands + operatorCommands + tagCommands + readerCommands
        + configurationCommands + stationCommands + ledgerCommands + offlineCommands + keyCommands
        + simulationCommands + cashierCommands + tokenCommands + tillCommands
}
