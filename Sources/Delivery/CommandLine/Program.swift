import ReaderDiagnosis
import TapcardCore
import TextCodecs
package import Verbs

/// A complete command-line program: it takes arguments, prints text, and says how it ended.
package struct Program: Sendable {
    private let drivers: Drivers
    /// Creates the table of all commands, which is slow.
    private let verbs: @Sendable () -> [Command]
    private let console: Console
    private let environment: [String: String]
    private let malformed: Set<String>
    private let build: Build
    private let finalMessage = FinalMessage()

    /// `own` contains additional commands that need the executable. `malformed` lists variables
    /// whose values are not valid UTF-8 and are therefore missing from `environment`.
    package init(
        drivers: Drivers, adding own: @autoclosure @escaping @Sendable () -> [Command] = [],
        console: Console, environment: [String: String], malformed: Set<String> = [],
        build: Build = Build()
    ) {
        self.drivers = drivers
        verbs = { Command.table(adding: own()) }
        self.console = OutputOptions.isASCIIOnly(environment) ? console.inASCII : console
        (self.environment, self.malformed, self.build) = (environment, malformed, build)
    }

    /// How a run ended.
    package struct Ending: Sendable, Hashable {
        package let status: Int32
        /// Whether a signal stopped the run before any work began, so that the process can let that
        /// signal terminate it.
        package var wasStopped = false
        /// Whether the command runs until it is stopped.
        package var isEndless = false
    }

    /// Whether the arguments ask only for the version. Scripts do this often, and it needs no
    /// command table, settings, or drivers.
    package static func isForVersion(_ arguments: [String]) -> Bool { arguments == ["--version"] }

    package static func showVersion(_ build: Build, _ console: Console) -> Int32 {
        let output = StandardOutput(console)
        output.write(build.versionText)
        guard let failure = output.failure else { return 0 }
        console.writeError(Report.line(TapcardError(failure), false))
        return TapcardError.Result.failed.exitStatus
    }

    package func run(_ arguments: [String]) async -> Ending {
        let output = StandardOutput(console)
        // These are determined before parsing, so that even an error in the command line is
        // reported in the requested format.
        var options = OutputOptions(beforeParsing: arguments, environment)
        do {
            switch try parse(arguments) {
            case .help(let text): output.write(text)
            case .page(let text): output.write(Array(text.utf8))
            case .version: output.write(build.versionText)
            case .candidates(let value, let prefix, let texts):
                // Completion must not print errors, so if the settings cannot be read, it has no
                // candidates.
                let settings = try? Settings(texts, environment: environment, malformed: malformed)
                for known in await settings?.known(value, drivers) ?? [] {
                    output.write(
                        "\(prefix)\(known.value.escapedForOneLine)\t\(known.what.escapedForOneLine)\n"
                    )
                }
            case .run(let verb, let texts, let order):
                let settings = try Settings(texts, environment: environment, malformed: malformed)
                options = OutputOptions(environment, settings.isOn)
                for warning in options.isQuiet ? [] : settings.warnings {
                    console.writeError("tapcard: \(warning.shown)\n")
                }
                let command = try ParsedCommand(
                    verb, given: texts.mapValues { .texts($0) }, order: order)
                return ending(
                    try await perform(command, settings, options, output), output, options)
            }
            return ending(Report.nothing, output, options)
        } catch {
            if options.isJSON { output.write(document: Report.document(of: error)) }
            // With --json, the document contains the message, unless it could not be written.
            if !options.isJSON || output.failure != nil { printError(error, options) }
            if let failure = output.failure { printError(TapcardError(failure), options) }
            return Ending(
                status: error.result.exitStatus, wasStopped: error.kind == .cancelled)
        }
    }

    /// The outcome of the run, including whether standard output failed.
    private func ending(
        _ report: Report, _ output: StandardOutput, _ options: OutputOptions
    ) -> Ending {
        var status = report.problem?.result.exitStatus ?? 0
        if let failure = output.failure {
            printError(TapcardError(failure, succeededDespiteOutputError: report), options)
            // If money has moved, the status must not say "failed", because a script would then
            // move it again.
            if status == 0, !report.isChange { status = TapcardError.Result.failed.exitStatus }
        }
        return Ending(
            status: status,
            wasStopped: report.isStopped && Task.isCancelled
                || report.problem?.kind == .cancelled,
            isEndless: report.isStopped)
    }

    private func printError(_ error: TapcardError, _ options: OutputOptions) {
        console.writeError(Report.line(error, options.hasColor(console.isErrorTerminal)))
    }

    /// Ends the process immediately, after unfinished work has printed its final message.
    package func endNow(_ end: () -> Void) { finalMessage.deliver(before: end) }

    private func parse(_ arguments: [String]) throws(TapcardError) -> Invocation {
        // These commands are enough for most runs. The table of all commands is slow to create, so
        // it is used only for other commands, help, and errors.
        if let line = try? CommandTable.tapcard(Command.common).parse(arguments), case .run = line {
            return line
        }
        let table = CommandTable.tapcard(verbs(), date: build.date ?? "")
        return try translating(table.fitting(console.columns()).parse(arguments)) {
            (error: CommandLineError) in
            TapcardError(.usage, error.detail)
        }
    }

    private func perform(
        _ command: ParsedCommand, _ settings: Settings, _ options: OutputOptions,
        _ output: StandardOutput
    ) async throws(TapcardError) -> Report {
        // With --verbose, a spinner would get mixed up with the log on standard error.
        let showsSpinner = !options.isJSON && !options.isQuiet && !options.isVerbose
        let spinner = Spinner(console, isEnabled: showsSpinner)
        let session = Session(
            command: command, verbs: verbs, settings: settings, outputOptions: options,
            drivers: drivers, console: console, output: output,
            waiting: WaitingLine(show: spinner.show, stop: spinner.stop), finalMessage: finalMessage
        )
        let report: Report
        do {
            report = try await command.verb.run(in: session)
        } catch {
            await spinner.finish()
            throw error
        }
        await spinner.finish()
        session.show(report)
        return report
    }
}

extension TapcardError {
    /// The error when standard output can no longer be written to.
    fileprivate init(_ failure: OutputError) {
        self.init(
            .failed, "Standard output could not be written: \(failure.reason).",
            meaning: "The output is incomplete.")
    }

    /// The error when a command's report could not be written. If the command changed something,
    /// the error also says what was done.
    fileprivate init(_ failure: OutputError, succeededDespiteOutputError report: Report) {
        guard report.isChange else {
            self.init(failure)
            return
        }
        self.init(
            .failed, "Standard output could not be written: \(failure.reason).",
            meaning: (report.problem == nil ? "The command itself succeeded: " : "This was done: ")
                + report.sentences,
            advice: report.problem == nil ? "Do not run it again." : "")
    }
}
