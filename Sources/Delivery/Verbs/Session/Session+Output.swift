package import TapcardCore

extension Session {
    /// Prints a report in the requested form; returns false if the output failed.
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

    /// Waits until the task is cancelled, while background work runs.
    package func waitUntilStopped() async {
        while !Task.isCancelled {
            // It throws when the task is cancelled, which is the expected end.
            try? await Task.sleep(for: .seconds(86_400))
        }
    }
}
