package import TapcardCore
import TapcardDomain
package import TextCodecs

/// The result of a command, for programs and for users.
package struct Report: Sendable {
    /// The JSON document, with "result" as its first key; nil if everything has already been
    /// printed.
    package let document: JSONValue?
    /// The lines for users. On a terminal, a mark precedes the first line unless `isPlain`.
    package let lines: [Line]
    /// The problem with a card that is shown anyway.
    package let problem: TapcardError?
    /// Whether the lines are printed without a mark, as in a dump, a list, or a script.
    package let isPlain: Bool
    /// Whether the report is about a completed change to a card, the ledger, keys, settings, or
    /// files.
    package let isChange: Bool
    /// Whether the command ran until it was stopped, which is its normal end.
    package private(set) var isStopped = false

    package init(
        _ members: Members, _ lines: [String], problem: TapcardError? = nil,
        isPlain: Bool = false, isChange: Bool = false
    ) {
        self.init(
            members, lines: lines.map { Line($0) }, problem: problem, isPlain: isPlain,
            isChange: isChange)
    }

    package init(
        _ members: Members, lines: [Line], problem: TapcardError? = nil,
        isPlain: Bool = false, isChange: Bool = false
    ) {
        let result = problem?.result.rawValue ?? "done"
        var all: Members = ["result": .string(result)]
        all += members
        if let problem {
            all += [
                "error": .string(problem.kind.word), "message": .string(problem.message),
                "next": NextWords.document(of: problem.next),
            ]
        }
        document = all.object
        self.lines = lines
        self.problem = problem
        (self.isPlain, self.isChange) = (isPlain, isChange)
    }

    /// An empty report, for a command that has already printed everything.
    package static let nothing = Report()

    private init() {
        (document, lines, problem) = (nil, [], nil)
        (isPlain, isChange) = (true, false)
    }

    /// This report for a command that runs until it is stopped.
    package var whenStopped: Report {
        var report = self
        report.isStopped = true
        return report
    }

    /// The lines as sentences on one line.
    package var sentences: String {
        lines.map { ".:!".contains($0.text.last ?? ".") ? $0.text : $0.text + "." }
            .joined(separator: " ")
    }

    /// The lines to print for a failure: its message, then what the tap resolved before the
    /// failure.
    package static func line(_ error: TapcardError, _ hasColor: Bool) -> String {
        // If the message already begins with the program's name, the name is not repeated.
        let words = error.message.shown
        let text = words.hasPrefix("tapcard ") ? words : "tapcard: \(words)"
        let title = text.prefix { $0 != " " }
        let line = Style.bad.applied(to: String(title), hasColor) + text.dropFirst(title.count)
        let resolved = error.resolved.map { "tapcard: \($0.words.shown)" }
        return ([line] + resolved).joined(separator: "\n") + "\n"
    }

    /// The JSON document of a failure.
    package static func document(of error: TapcardError) -> JSONValue {
        [
            "result": .string(error.result.rawValue), "error": .string(error.kind.word),
            "message": .string(error.message),
            "uid": .text(error.uid), "operation": .text(error.operation),
            "resolved": .array(error.resolved.map(\.document)),
            "next": NextWords.document(of: error.next),
        ]
    }
}
