import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs
package import Verbs

/// A command that a page can call. The till runs it without a terminal.
package struct TillCall: Sendable {
    /// The document in a successful response.
    package let answer: PrintedDocument
    package let parameters: [PageParameter]
    package let command: CommandSummary
    let verb: Command
    private let page: PageCall

    /// Nil for a command without a page call.
    private init?(_ verb: Command) {
        guard let page = verb.page else { return nil }
        (self.verb, self.page, answer) = (verb, page, verb.answers)
        parameters = verb.spec.parameters.compactMap(\.page)
        command = CommandSummary(verb.spec)
    }

    /// All commands that a page can call, except those for a simulated reader.
    package static let all = calls { $0 != .simulation }
    /// The commands for a simulated reader.
    package static let simulator = calls { $0 == .simulation }

    private static func calls(_ isIncluded: (Command.Group) -> Bool) -> [TillCall] {
        Command.all.filter { Command.Group(rawValue: $0.spec.group).map(isIncluded) ?? false }
            .compactMap(TillCall.init)
    }

    package var method: PageCall.Method { page.method }
    /// The path. Its parts are separated by "/", and the last part may be a parameter in braces.
    package var path: String { page.path }
    /// Who may make the call.
    package var permission: Permission { page.permission }
    /// Whether the call contacts a service, which may be offline.
    package var asksService: Bool { verb.asks != nil }

    /// The command's description from the command line.
    package struct CommandSummary: Sendable {
        package let words: String
        package let summary: String
        package let discussion: String
        /// The heading in the overview.
        package let group: String

        init(_ spec: CommandSpec) {
            words = spec.path.joined(separator: " ")
            (summary, discussion, group) = (spec.summary, spec.discussion, spec.group)
        }
    }

    /// Whether sellers may not see the answer: it is about the drawer or the products, not about a
    /// card.
    var hidesAnswer: Bool {
        guard case .never = page.reader else { return false }
        return permission.lowest.map { $0 > .seller } ?? false
    }

    /// Whether the call needs exclusive use of the reader.
    func needsReader(_ command: ParsedCommand) -> Bool {
        switch page.reader {
        case .always: true
        case .never: false
        case .given(let parameter): command.isGiven(parameter)
        case .missing(let parameter): !command.isGiven(parameter)
        }
    }

    /// Whether the call may need the reader, depending on its parameters.
    var mayNeedReader: Bool {
        if case .never = page.reader { false } else { true }
    }

    /// Whether the call can change a card or the ledger.
    package var changes: Bool { method == .post }

    /// The parameter that is part of the path.
    var pathParameter: String? { page.last?.page?.name }

    /// Whether an operation ID makes a retry safe.
    package var takesOperation: Bool { verb.takesOperation }

    /// Whether the call contains a secret that must not be stored.
    var takesPassword: Bool { verb.spec.parameters.contains { $0.place == .secret } }

    /// Parses the values in a JSON object, and adds the operation ID if the command takes one.
    /// Unknown, repeated, missing, and malformed members are refused.
    func parsed(_ given: [JSONMember], as id: OperationID) throws(TapcardError) -> ParsedCommand {
        var seen: Set<String> = []
        var values: [String: ParsedCommand.Given] = [:]
        let named = takesOperation ? [JSONMember(key: "operation", value: .string("\(id)"))] : []
        for member in given + named + defaults(besides: given) {
            // Different parsers could read a repeated member differently.
            guard seen.insert(member.key).inserted else {
                throw TapcardError.usage("The member \(member.key.quotation) appears twice.")
            }
            guard let row = verb.spec.parameters.first(where: { $0.page?.name == member.key })
            else {
                let names = parameters.map(\.name).joined(separator: ", ")
                throw TapcardError.usage(
                    "The member \(member.key.quotation) is unknown"
                        + (names.isEmpty ? "." : "; the known members are \(names)."))
            }
            values[row.name] = .member(member.value)
        }
        let command = try ParsedCommand(verb, given: values)
        // This is checked after parsing, because a member that is null counts as not given.
        for row in verb.spec.parameters where !command.isGiven(row) {
            guard let parameter = row.page, parameter.isRequired else { continue }
            throw TapcardError.usage("\(parameter.name.debugDescription) is missing.")
        }
        return command
    }

    private func defaults(besides given: [JSONMember]) -> [JSONMember] {
        parameters.compactMap { parameter in
            guard let value = parameter.defaultValue,
                !given.contains(where: { $0.key == parameter.name })
            else { return nil }
            return JSONMember(key: parameter.name, value: value)
        }
    }
}
