package import TapcardCore

/// A row of the command table with its implementation.
package struct Command: Sendable {
    package let spec: CommandSpec
    /// The service address setting that must be confirmed first; nil if the command contacts none.
    package let asks: Settings.Name?
    /// The page's call for the command; nil for commands of a terminal or an operator.
    package let page: PageCall?
    /// The document of `--json`.
    package let answers: PrintedDocument
    private let run: @Sendable (Session) async throws(TapcardError) -> Report

    package init<each Value>(
        _ words: String, group: Group, _ summary: String, discussion: String = "",
        takes parameters: repeat Parameter<each Value>, asks: Settings.Name? = nil,
        page: PageCall? = nil,
        answers: PrintedDocument, example: String,
        run: @escaping @Sendable (Session) async throws(TapcardError) -> Report
    ) {
        var rows: [CommandParameter] = []
        repeat rows.append((each parameters).row)
        spec = CommandSpec(
            path: words.split(separator: " ").map(String.init), summary: summary,
            discussion: discussion, parameters: rows, example: example, group: group.rawValue)
        (self.asks, self.page, self.answers, self.run) = (asks, page, answers, run)
    }

    /// Whether an operation id makes a retry safe.
    package var takesOperation: Bool { takes(.operation) }

    /// Runs the command.
    package func outcome(in session: Session) async -> Result<Report, TapcardError> {
        do throws(TapcardError) {
            if let asks { try session.settings.requireConfirmed(asks) }
            return .success(try await run(session))
        } catch {
            return .failure(error.fitting(spec))
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
        case station = "This station"
        case ledger = "Shared ledger"
        case simulation = "Simulation"
    }

    /// The commands of most taps.
    package static let usual: [Command] = cardCommands + moneyCommands

    /// The commands that need only a station. The program adds the commands about its own table,
    /// and those that need its executable.
    package static let all: [Command] =
        usual + drawCommands + ticketCommands + mastermindCommands
        + operatorCommands + tagCommands + readerCommands + configurationCommands + stationCommands
        + ledgerCommands + offlineCommands + keyCommands + simulationCommands + cashierCommands
}
