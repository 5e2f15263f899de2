package import StyledText
package import TapcardCore
import TapcardDomain
package import TextCodecs

/// What a command found or did: for a program, and for a person.
package struct Report: Sendable {
    /// One JSON document; its first key is "result". Nil where all was said already.
    package let document: JSONValue?
    /// The first line is the one that a check mark stands before.
    package let lines: [Line]
    /// What is wrong with a card that was shown all the same.
    package let problem: TapcardError?
    /// Printed as it is, without a mark: a dump, a list, a script.
    package let isPlain: Bool
    /// Whether it tells of something that was done, to a card, in the ledger, or to keys, settings
    /// and files: it has happened, whoever reads of it.
    package let isDeed: Bool
    /// Whether the command goes on until it is stopped, and so has come to its usual end.
    package private(set) var isStopped = false

    package init(
        _ members: [JSONMember], _ lines: [String], problem: TapcardError? = nil,
        isPlain: Bool = false, isDeed: Bool = false
    ) {
        self.init(
            members, lines: lines.map { Line($0) }, problem: problem, isPlain: isPlain,
            isDeed: isDeed)
    }

    package init(
        _ members: [JSONMember], lines: [Line], problem: TapcardError? = nil,
        isPlain: Bool = false, isDeed: Bool = false
    ) {
        let result = problem?.result.rawValue ?? "done"
        var all = [JSONMember(key: "result", value: .string(result))] + members
        if let problem {
            all.append(JSONMember(key: "error", value: .string(problem.kind.word)))
            all.append(JSONMember(key: "message", value: .string(problem.message)))
        }
        document = .object(all)
        self.lines = lines
        self.problem = problem
        (self.isPlain, self.isDeed) = (isPlain, isDeed)
    }

    /// Nothing to add to what was printed on the way.
    package static let nothing = Report()

    private init() {
        (document, lines, problem) = (nil, [], nil)
        (isPlain, isDeed) = (true, false)
    }

    /// The same, of a command that goes on until it is stopped.
    package var whenStopped: Report {
        var report = self
        report.isStopped = true
        return report
    }

    /// Its lines as sentences in one line.
    package var sentences: String {
        lines.map { ".:!".contains($0.text.last ?? ".") ? $0.text : $0.text + "." }
            .joined(separator: " ")
    }

    /// A failure for people, on a line of its own.
    package static func line(_ error: TapcardError, _ hasColor: Bool) -> String {
        // A message that begins with the program's name does not need it a second time.
        let words = error.message.shown
        let text = words.hasPrefix("tapcard ") ? words : "tapcard: \(words)"
        let title = text.prefix { $0 != " " }
        let line = Style.bad.applied(to: String(title), hasColor) + text.dropFirst(title.count)
        let settled = error.settled.map { "tapcard: \($0.words.shown)" }
        return ([line] + settled).joined(separator: "\n") + "\n"
    }

    /// The document of a failure.
    package static func document(of error: TapcardError) -> JSONValue {
        [
            "result": .string(error.result.rawValue), "error": .string(error.kind.word),
            "message": .string(error.message),
            "uid": .text(error.uid), "operation": .text(error.operation),
            "settled": .array(error.settled.map(\.document)),
            "next": NextWords.document(of: error.next.map(\.words)),
        ]
    }
}
