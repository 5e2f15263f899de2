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

    public let method: Method
    /// Its parts are separated by "/"; a part in braces stands for a parameter.
    public let path: String
    public let parameters: [CounterParameter]
    /// What is answered when it is done.
    public let answer: CounterAnswer
    /// Whether a service is asked, which may be out of reach.
    public let asksService: Bool
    private let use: CounterReaderUse
    public let command: CommandSummary
    let words: [String]

    init(
        _ method: Method, _ path: String, as words: String? = nil,
        reader use: CounterReaderUse = .always, asksService: Bool = false,
        _ parameters: [CounterParameter] = [], answers answer: CounterAnswer
    ) {
        self.words = (words ?? path.replacing("/", with: " ")).split(separator: " ")
            .map(String.init)
        (self.method, self.path) = (method, path)
        (self.use, self.parameters) = (use, parameters)
        (self.answer, self.asksService) = (answer, asksService)
        command = CommandSummary(self.words)
    }

    /// What the command line says of the command.
    public struct CommandSummary: Sendable {
        public let words: String
        public let summary: String
        public let discussion: String
        /// The heading under which it stands in the overview.
        public let group: String

        init(_ words: [String]) {
            let spec = CommandTable.tapcard.command(at: words)
            self.words = words.joined(separator: " ")
            (summary, discussion) = (spec?.summary ?? "", spec?.discussion ?? "")
            group = spec?.group ?? ""
        }
    }

    /// Whether a card or the reader itself is worked with, which only one can do at a time.
    public func needsReader(_ members: [JSONMember]) -> Bool {
        func isGiven(_ name: String) -> Bool {
            members.contains { $0.key == name && $0.value != .null && $0.value != .bool(false) }
        }
        return switch use {
        case .always: true
        case .never: false
        case .with(let name): isGiven(name)
        case .without(let name): !isGiven(name)
        }
    }

    /// Whether the reader is worked with where some parameters are given, or always.
    public var mayNeedReader: Bool { use != .never }

    /// Whether something may be another than before, on a card or in the ledger.
    public var changes: Bool { method == .post }

    /// The parameter that is a part of the path.
    public var pathParameter: String? {
        guard path.hasSuffix("}"), let brace = path.lastIndex(of: "{") else { return nil }
        return String(path[path.index(after: brace)...].dropLast())
    }

    /// Whether it may be repeated under an id without happening twice.
    public var takesOperation: Bool {
        parameters.contains { $0.name == CounterParameter.operation.name }
    }

    /// Whether something is in it that is to be kept nowhere.
    public var takesPassword: Bool { parameters.contains { $0.place == .password } }

    /// The words of the command line that ask for the same.
    func commandLine(_ given: [JSONMember]) throws(TapcardError) -> [String] {
        var seen: Set<String> = []
        var options: [String] = []
        var arguments: [String: [String]] = [:]
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
            switch parameter.place {
            case .option(let name): options += texts.map { "--\(name)=\($0)" }
            case .flag(let name): options += texts.map { _ in "--\(name)" }
            case .argument(let name): arguments[name] = texts
            case .password: break
            }
        }
        for parameter in parameters where parameter.isRequired && !seen.contains(parameter.name) {
            throw CounterCall.refusal("\(parameter.name.debugDescription) is missing.")
        }
        let ordered = CommandTable.tapcard.command(at: words)?.arguments ?? []
        return words + options + ["--"] + ordered.flatMap { arguments[$0.name] ?? [] }
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

/// When a call needs the reader.
enum CounterReaderUse: Sendable, Hashable {
    case always, never
    /// Only where this parameter is given, or is not.
    case with(String), without(String)
}
