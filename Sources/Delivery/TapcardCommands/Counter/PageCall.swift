import TextCodecs

/// How a page asks for a command.
struct PageCall: Sendable {
    let method: CounterCall.Method
    /// Its parts are separated by "/"; a part in braces stands for a parameter.
    let path: String
    let reader: ReaderUse
    /// Whether a service is asked, which may be out of reach.
    let asksService: Bool
    /// What no command line has, because others can see those.
    let secret: CounterParameter?

    /// When the reader is needed.
    enum ReaderUse: Sendable, Hashable {
        case always, never
        /// Only where this parameter is given, or is not.
        case with(String), without(String)

        /// The parameter that decides.
        var parameter: String? {
            switch self {
            case .always, .never: nil
            case .with(let name), .without(let name): name
            }
        }
    }

    /// A call that only looks.
    static func get(
        _ path: String, reader: ReaderUse = .always, asksService: Bool = false
    ) -> PageCall {
        PageCall(
            method: .get, path: path, reader: reader, asksService: asksService, secret: nil)
    }

    /// A call that may change a card or the ledger.
    static func post(
        _ path: String, reader: ReaderUse = .always, asksService: Bool = false,
        secret: CounterParameter? = nil
    ) -> PageCall {
        PageCall(
            method: .post, path: path, reader: reader, asksService: asksService, secret: secret)
    }
}
