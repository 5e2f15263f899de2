/// How a page asks for a command.
package struct PageCall: Sendable {
    /// The method of HTTP; only a post may change anything.
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    package let method: Method
    /// Its parts are separated by "/".
    package let words: String
    /// The parameter that is the last part of the path.
    package let last: CommandParameter?
    package let reader: ReaderUse
    /// Whether a service is asked, which may be out of reach.
    package let asksService: Bool

    /// When the reader is needed.
    package enum ReaderUse: Sendable {
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
    package var path: String { words + (last?.page.map { "/{\($0.name)}" } ?? "") }

    /// A call that only looks.
    package static func get(
        _ words: String, reader: ReaderUse = .always, asksService: Bool = false
    ) -> PageCall {
        PageCall(method: .get, words: words, last: nil, reader: reader, asksService: asksService)
    }

    package static func get<Value>(
        _ words: String, _ last: Parameter<Value>, reader: ReaderUse, asksService: Bool
    ) -> PageCall {
        PageCall(
            method: .get, words: words, last: last.row, reader: reader, asksService: asksService)
    }

    /// A call that may change a card or the ledger.
    package static func post(
        _ words: String, reader: ReaderUse = .always, asksService: Bool = false
    ) -> PageCall {
        PageCall(method: .post, words: words, last: nil, reader: reader, asksService: asksService)
    }
}
