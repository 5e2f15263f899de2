import TapcardCore
import TextCodecs

/// The whole command line: words in, words out, an exit status.
public struct Program: Sendable {
    /// The version that `--version` tells.
    public static let version = "0.1.0"

    /// The variables that stand for options.
    public static let variables = Settings.Name.allCases.map(\.variable)

    private let drivers: Drivers
    private let console: Console
    private let environment: [String: String]

    public init(drivers: Drivers, console: Console, environment: [String: String]) {
        self.drivers = drivers
        self.console = console
        self.environment = environment
    }

    public func run(_ arguments: [String]) async -> Int32 {
        var manner = Manner(beforeParsing: arguments, environment)
        do {
            switch try parse(arguments) {
            case .help(let text):
                console.write(text)
                return 0
            case .version:
                console.write("tapcard \(Program.version)\n")
                return 0
            case .run(let command):
                let settings = try Settings(command, environment: environment)
                manner = Manner(environment, settings.isOn)
                return try await run(command, settings, manner)
            }
        } catch {
            if manner.isJSON {
                console.write(Report.document(of: error).text + "\n")
            } else {
                console.writeError(Report.line(error, manner.hasColor(console.isErrorTerminal)))
            }
            return error.result.exitStatus
        }
    }

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
            console: console, spinner: Spinner(console, isEnabled: !isTalking))
        let report: Report
        do {
            report = try await command.run(session)
        } catch {
            await session.spinner.finish()
            throw error
        }
        await session.spinner.finish()
        session.show(report)
        return report.problem?.result.exitStatus ?? 0
    }
}

extension Session {
    /// Prints a report in the form that was asked for.
    func show(_ report: Report) {
        if isJSON {
            if let document = report.document { console.write(document.text + "\n") }
            return
        }
        if !isQuiet, !report.lines.isEmpty {
            let hasColor = manner.hasColor(console.isTerminal)
            var lines = report.lines
            if console.isTerminal, !report.isPlain {
                let mark =
                    report.problem == nil
                    ? Style.good.applied(to: "✓", hasColor) : Style.bad.applied(to: "✗", hasColor)
                lines = ["\(mark) \(lines[0])"] + lines.dropFirst().map { "  \($0)" }
            }
            console.write(lines.joined(separator: "\n") + "\n")
        }
        if let problem = report.problem { show(problem) }
    }

    func show(_ error: TapcardError) {
        say(Report.line(error, manner.hasColor(console.isErrorTerminal)))
    }
}
