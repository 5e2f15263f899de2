/// The HTTP call that a page uses to run a command.
package struct PageCall: Sendable {
    /// The HTTP method; only a POST is allowed to change anything.
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    package let method: Method
    /// The fixed parts of the path, separated by "/".
    package let words: String
    /// The parameter that is the last part of the path.
    package let last: CommandParameter?
    package let reader: ReaderUse
    package let permission: Permission

    /// Whether the reader is needed.
    package enum ReaderUse: Sendable {
        case always, never
        /// Only if this parameter is given, or only if this parameter is missing.
        case given(CommandParameter), missing(CommandParameter)

        static func with<Value>(_ parameter: Parameter<Value>) -> ReaderUse {
            .given(parameter.row)
        }

        static func without<Value>(_ parameter: Parameter<Value>) -> ReaderUse {
            .missing(parameter.row)
        }
    }

    /// The path. If its last part is a parameter, the parameter's name is in braces.
    package var path: String { words + (last?.page.map { "/{\($0.name)}" } ?? "") }

    /// A read-only call.
    package static func get(
        _ words: String, reader: ReaderUse = .always, for permission: Permission
    ) -> PageCall {
        PageCall(method: .get, words: words, last: nil, reader: reader, permission: permission)
    }

    package static func get<Value>(
        _ words: String, _ last: Parameter<Value>, reader: ReaderUse, for permission: Permission
    ) -> PageCall {
        PageCall(method: .get, words: words, last: last.row, reader: reader, permission: permission)
    }

    /// A call that may change a card or the ledger.
    package static func post(
        _ words: String, reader: ReaderUse = .always, for permission: Permission
    ) -> PageCall {
        PageCall(method: .post, words: words, last: nil, reader: reader, permission: permission)
    }
}
