import StyledText
import TapcardCore
import TextCodecs

/// The whole command line: words in, words out, an exit status.
public struct Program: Sendable {
    /// The version that `--version` tells.
    public static let version = "0.1.0"

    /// The variables that stand for settings.
    public static let variables =
        Settings.Name.allCases.map(\.variable) + Settings.secretVariables

    /// The variables that say which language people at this station speak.
    public static let languageVariables = DecimalComma.variables

    private let drivers: Drivers
    private let console: Console
    private let environment: [String: String]
    private let malformed: Set<String>
    private let lastWords = LastWords()

    /// `malformed` names the variables that are set, but not to UTF-8: what they are set to is
    /// not in the environment.
    public init(
        drivers: Drivers, console: Console, environment: [String: String],
        malformed: Set<String> = []
    ) {
        self.drivers = drivers
        self.console = console
        (self.environment, self.malformed) = (environment, malformed)
    }

    public func run(_ arguments: [String]) async -> Int32 {
        var manner = Manner(beforeParsing: arguments, environment)
        do {
            switch try parse(arguments) {
            case .help(let text):
                _ = console.write(text)
                return 0
            case .version:
                _ = console.write("tapcard \(Program.version)\n")
                return 0
            case .run(let command):
                let settings = try Settings(
                    command, environment: environment, malformed: malformed)
                manner = Manner(environment, settings.isOn)
                if !manner.isQuiet {
                    for warning in settings.warnings {
                        console.writeError("tapcard: \(warning.shown)\n")
                    }
                }
                return try await run(command, settings, manner)
            }
        } catch {
            if manner.isJSON {
                _ = console.write(Report.document(of: error).text + "\n")
            } else {
                console.writeError(Report.line(error, manner.hasColor(console.isErrorTerminal)))
            }
            return error.result.exitStatus
        }
    }

    /// Ends the process at once; work that goes on elsewhere is not left without a word.
    public func cutShort(_ end: () -> Void) { lastWords.speak(before: end) }

    private func parse(_ arguments: [String]) throws(TapcardError) -> Invocation {
        do {
            return try CommandTable.tapcard.parse(arguments)
        } catch {
            throw TapcardError(.usage, error.detail)
        }
    }

    private func run(
        _ parsed: ParsedCommand, _ settings: Settings, _ manner: Manner
    ) async throws(TapcardError) -> Int32 {
        guard let command = Command.all.first(where: { $0.spec.path == parsed.spec.path }) else {
            throw TapcardError(.usage, "There is no such command.")
        }
        let isTalking = manner.isJSON || manner.isQuiet || manner.isVerbose
        let session = Session(
            command: parsed, settings: settings, manner: manner, drivers: drivers,
            console: console, spinner: Spinner(console, isEnabled: !isTalking),
            lastWords: lastWords)
        let report: Report
        do {
            report = try await command.run(session)
        } catch {
            await session.spinner.finish()
            throw error
        }
        await session.spinner.finish()
        let isShown = session.show(report)
        // Money that moved has moved, whoever reads of it; a list that nobody got is a failure.
        if !isShown, report.isPlain { return TapcardError.Result.failed.exitStatus }
        return report.problem?.result.exitStatus ?? 0
    }
}

extension Session {
    /// Prints a report in the form that was asked for; false where it could not go out.
    func show(_ report: Report) -> Bool {
        if isJSON {
            return report.document.map { console.write($0.text + "\n") } ?? true
        }
        var isShown = true
        if !isQuiet, !report.lines.isEmpty {
            let hasColor = manner.hasColor(console.isTerminal)
            var lines = report.lines.map { $0.rendered(hasColor) }
            if console.isTerminal, !report.isPlain {
                let mark =
                    report.problem == nil
                    ? Style.good.applied(to: "✓", hasColor) : Style.bad.applied(to: "✗", hasColor)
                lines = ["\(mark) \(lines[0])"] + lines.dropFirst().map { "  \($0)" }
            }
            isShown = console.write(lines.joined(separator: "\n") + "\n")
        }
        if let problem = report.problem { show(problem) }
        return isShown
    }

    func show(_ error: TapcardError) {
        say(Report.line(error, manner.hasColor(console.isErrorTerminal)))
    }
}
