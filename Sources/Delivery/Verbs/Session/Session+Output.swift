import StyledText
package import TapcardCore

extension Session {
    /// Prints a report in the form that was asked for; false where it could not go out.
    @discardableResult package func show(_ report: Report) -> Bool {
        if isJSON {
            return report.document.map { output.write(document: $0) } ?? true
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
            isShown = output.write(lines.joined(separator: "\n") + "\n")
        }
        if let problem = report.problem { show(problem) }
        return isShown
    }

    package func show(_ error: TapcardError) {
        say(Report.line(error, manner.hasColor(console.isErrorTerminal)))
    }

    /// Returns when the task is cancelled: what a command waits for that runs until it is ended.
    package func waitUntilStopped() async {
        while !Task.isCancelled {
            // It throws when the task is cancelled, which is what is waited for.
            try? await Task.sleep(for: .seconds(86_400))
        }
    }
}
