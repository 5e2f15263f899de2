import TapcardCore
package import TextCodecs
package import Verbs

/// What somebody at a counter can have done without a terminal: a command, under the name that a
/// page calls it by.
package struct CounterCall: Sendable {
    /// What is answered when it is done.
    package let answer: PrintedDocument
    package let parameters: [PageParameter]
    package let command: CommandSummary
    let verb: Command
    private let page: PageCall

    /// Nil for a command that no page may ask for. One without a document traps.
    private init?(_ verb: Command) {
        guard let page = verb.page else { return nil }
        guard let answer = verb.answers else { preconditionFailure("\(verb.words): no answers") }
        (self.verb, self.page, self.answer) = (verb, page, answer)
        parameters = verb.spec.parameters.compactMap(\.page)
        command = CommandSummary(verb.spec)
    }

    /// Every command that makes sense at a counter.
    package static let all = calls { $0 != .simulation }
    /// Only where the reader is a simulated one.
    package static let simulator = calls { $0 == .simulation }

    private static func calls(_ isMeant: (Command.Group) -> Bool) -> [CounterCall] {
        Command.all.filter { Command.Group(rawValue: $0.spec.group).map(isMeant) ?? false }
            .compactMap(CounterCall.init)
    }

    package var method: PageCall.Method { page.method }
    /// Its parts are separated by "/"; a last part in braces stands for a parameter.
    package var path: String { page.path }
    /// Whether a service is asked, which may be out of reach.
    package var asksService: Bool { page.asksService }

    /// What the command line says of the command.
    package struct CommandSummary: Sendable {
        package let words: String
        package let summary: String
        package let discussion: String
        /// The heading under which it stands in the overview.
        package let group: String

        init(_ spec: CommandSpec) {
            words = spec.path.joined(separator: " ")
            (summary, discussion, group) = (spec.summary, spec.discussion, spec.group)
        }
    }

    /// Whether a card or the reader itself is worked with, which only one can do at a time.
    package func needsReader(_ members: [JSONMember]) -> Bool {
        func isGiven(_ parameter: CommandParameter) -> Bool {
            members.contains {
                $0.key == parameter.page?.name && $0.value != .null && $0.value != .bool(false)
            }
        }
        return switch page.reader {
        case .always: true
        case .never: false
        case .given(let parameter): isGiven(parameter)
        case .missing(let parameter): !isGiven(parameter)
        }
    }

    /// Whether the reader is worked with where some parameters are given, or always.
    package var mayNeedReader: Bool {
        if case .never = page.reader { false } else { true }
    }

    /// Whether something may be another than before, on a card or in the ledger.
    package var changes: Bool { method == .post }

    /// The parameter that is a part of the path.
    package var pathParameter: String? { page.last?.page?.name }

    /// Whether it may be repeated under an id without happening twice.
    package var takesOperation: Bool { verb.takesOperation }

    /// Whether something is in it that is to be kept nowhere.
    package var takesPassword: Bool { verb.spec.parameters.contains { $0.place == .secret } }

    /// The command with the values of a JSON object. Unknown, repeated, missing and malformed members
    /// are refused.
    func parsed(_ given: [JSONMember]) throws(TapcardError) -> ParsedCommand {
        var seen: Set<String> = []
        var texts: [String: [String]] = [:]
        for member in given + usual(beside: given) {
            guard seen.insert(member.key).inserted else {
                throw CounterCall.refusal("\(member.key.debugDescription) is there twice.")
            }
            guard
                let row = verb.spec.parameters.first(where: { $0.page?.name == member.key }),
                let parameter = row.page
            else {
                let names = parameters.map(\.name).joined(separator: ", ")
                throw CounterCall.refusal(
                    "There is no \(member.key.debugDescription) in this call"
                        + (names.isEmpty ? "." : ", only: \(names)."))
            }
            // Null and an empty fault are named, but say nothing.
            let found = try parameter.texts(of: member.value)
            if !found.isEmpty { texts[row.name] = found }
        }
        for row in verb.spec.parameters where texts[row.name] == nil {
            guard let parameter = row.page, parameter.isRequired else { continue }
            throw CounterCall.refusal("\(parameter.name.debugDescription) is missing.")
        }
        return ParsedCommand(spec: verb.spec, texts: texts)
    }

    private func usual(beside given: [JSONMember]) -> [JSONMember] {
        parameters.compactMap { parameter in
            guard let usual = parameter.usual, !given.contains(where: { $0.key == parameter.name })
            else { return nil }
            return JSONMember(key: parameter.name, value: usual)
        }
    }

    static func refusal(_ what: String) -> TapcardError {
        TapcardError(.usage, what, meaning: "Nothing was done.")
    }
}
