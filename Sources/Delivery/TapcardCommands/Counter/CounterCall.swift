import TapcardCore
public import TextCodecs

/// What somebody at a counter can have done without a terminal: a command, under the name that a
/// page calls it by.
public struct CounterCall: Sendable {
    /// What a call is asked with; nothing else may change anything.
    public enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    /// What is answered when it is done.
    public let answer: PrintedDocument
    public let parameters: [CounterParameter]
    public let command: CommandSummary
    let verb: Command
    private let page: PageCall

    /// Nil for a command that no page may ask for.
    ///
    /// A row that contradicts itself is a programming error and traps.
    private init?(_ verb: Command) {
        guard let page = verb.page else { return nil }
        guard let answer = verb.answers else { preconditionFailure("\(verb.words): no answers") }
        (self.verb, self.page, self.answer) = (verb, page, answer)
        let values: [any CommandValue] = verb.spec.arguments + verb.spec.options
        parameters = values.compactMap(\.parameter) + (page.secret.map { [$0] } ?? [])
        command = CommandSummary(verb.spec)
        let names = parameters.map(\.name)
        precondition(
            ([pathParameter, page.reader.parameter].compactMap(\.self)).allSatisfy(names.contains))
    }

    /// Every command that makes sense at a counter.
    public static let all = calls { $0 != .simulation }
    /// Only where the reader is a simulated one.
    public static let simulator = calls { $0 == .simulation }

    private static func calls(_ isMeant: (Command.Group) -> Bool) -> [CounterCall] {
        Command.all.filter { Command.Group(rawValue: $0.spec.group).map(isMeant) ?? false }
            .compactMap(CounterCall.init)
    }

    public var method: Method { page.method }
    /// Its parts are separated by "/"; a part in braces stands for a parameter.
    public var path: String { page.path }
    /// Whether a service is asked, which may be out of reach.
    public var asksService: Bool { page.asksService }

    /// What the command line says of the command.
    public struct CommandSummary: Sendable {
        public let words: String
        public let summary: String
        public let discussion: String
        /// The heading under which it stands in the overview.
        public let group: String

        init(_ spec: CommandSpec) {
            words = spec.path.joined(separator: " ")
            (summary, discussion, group) = (spec.summary, spec.discussion, spec.group)
        }
    }

    /// Whether a card or the reader itself is worked with, which only one can do at a time.
    public func needsReader(_ members: [JSONMember]) -> Bool {
        func isGiven(_ name: String) -> Bool {
            members.contains { $0.key == name && $0.value != .null && $0.value != .bool(false) }
        }
        return switch page.reader {
        case .always: true
        case .never: false
        case .with(let name): isGiven(name)
        case .without(let name): !isGiven(name)
        }
    }

    /// Whether the reader is worked with where some parameters are given, or always.
    public var mayNeedReader: Bool { page.reader != .never }

    /// Whether something may be another than before, on a card or in the ledger.
    public var changes: Bool { method == .post }

    /// The parameter that is a part of the path.
    public var pathParameter: String? {
        guard path.hasSuffix("}"), let brace = path.lastIndex(of: "{") else { return nil }
        return String(path[path.index(after: brace)...].dropLast())
    }

    /// Whether it may be repeated under an id without happening twice.
    public var takesOperation: Bool {
        parameters.contains { $0.name == "operation" }
    }

    /// Whether something is in it that is to be kept nowhere.
    public var takesPassword: Bool { parameters.contains { $0.place == .password } }

    /// The command with the values of a JSON object. Unknown, repeated, missing and malformed members
    /// are refused.
    func parsed(_ given: [JSONMember]) throws(TapcardError) -> ParsedCommand {
        var seen: Set<String> = []
        var present: Set<String> = []
        var values: [String: [String]] = [:]
        var options: [String: String] = [:]
        var flags: Set<String> = []
        for member in given + usual(beside: given) {
            guard seen.insert(member.key).inserted else {
                throw CounterCall.refusal("\(member.key.debugDescription) is there twice.")
            }
            guard let parameter = parameters.first(where: { $0.name == member.key }) else {
                let names = parameters.map(\.name).joined(separator: ", ")
                throw CounterCall.refusal(
                    "There is no \(member.key.debugDescription) in this call"
                        + (names.isEmpty ? "." : ", only: \(names)."))
            }
            guard let texts = try parameter.texts(of: member.value) else { continue }
            // Null and an empty fault are named, but say nothing.
            if !texts.isEmpty { present.insert(parameter.name) }
            switch parameter.place {
            case .option(let name): options[name] = texts.first
            case .flag(let name): if !texts.isEmpty { flags.insert(name) }
            case .argument(let name): values[name] = texts
            case .password: break
            }
        }
        for parameter in parameters where parameter.isRequired && !present.contains(parameter.name)
        {
            throw CounterCall.refusal("\(parameter.name.debugDescription) is missing.")
        }
        return ParsedCommand(spec: verb.spec, values: values, options: options, flags: flags)
    }

    private func usual(beside given: [JSONMember]) -> [JSONMember] {
        parameters.compactMap { parameter in
            guard let usual = parameter.usual, !given.contains(where: { $0.key == parameter.name })
            else { return nil }
            return JSONMember(key: parameter.name, value: usual)
        }
    }

    /// The text of the parameter that is a password.
    func password(in members: [JSONMember]) -> String? {
        guard let parameter = parameters.first(where: { $0.place == .password }) else { return nil }
        return members.first { $0.key == parameter.name }?.value.string
    }

    static func refusal(_ what: String) -> TapcardError {
        TapcardError(.usage, what, meaning: "Nothing was done.")
    }
}
