/// How a page asks for a command.
struct PageCall: Sendable {
    let method: CounterCall.Method
    /// Its parts are separated by "/".
    let words: String
    /// The parameter that is the last part of the path.
    let last: CommandParameter?
    let reader: ReaderUse
    /// Whether a service is asked, which may be out of reach.
    let asksService: Bool

    /// When the reader is needed.
    enum ReaderUse: Sendable {
        case always, never
        /// Only where this parameter is given, or is not.
        case given(CommandParameter), missing(CommandParameter)

        static func with<Value>(_ parameter: Parameter<Value>) -> ReaderUse {
            .given(parameter.row)
        }

        static func without<Value>(_ parameter: Parameter<Value>) -> ReaderUse {
            .missing(parameter.row)
        }
    }

    /// The path; its last part is in braces where it stands for a parameter.
    var path: String { words + (last?.page.map { "/{\($0.name)}" } ?? "") }

    /// A call that only looks.
    static func get(
        _ words: String, reader: ReaderUse = .always, asksService: Bool = false
    ) -> PageCall {
        PageCall(method: .get, words: words, last: nil, reader: reader, asksService: asksService)
    }

    static func get<Value>(
        _ words: String, _ last: Parameter<Value>, reader: ReaderUse, asksService: Bool
    ) -> PageCall {
        PageCall(
            method: .get, words: words, last: last.row, reader: reader, asksService: asksService)
    }

    /// A call that may change a card or the ledger.
    static func post(
        _ words: String, reader: ReaderUse = .always, asksService: Bool = false
    ) -> PageCall {
        PageCall(method: .post, words: words, last: nil, reader: reader, asksService: asksService)
    }
}
