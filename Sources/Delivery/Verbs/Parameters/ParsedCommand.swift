package import TapcardCore
import TapcardDomain
package import TextCodecs

/// A command with the typed values of its parameters.
package struct ParsedCommand: Sendable {
    /// What was given for one parameter.
    package enum Given: Sendable {
        /// The words of a command line; "true" for a flag.
        case texts([String])
        /// The JSON member of a page's call.
        case member(JSONValue)
    }

    package let verb: Command
    /// The names of the options with values, in the order of the command line. Empty for a page's
    /// call.
    package let order: [String]
    private let values: [String: any Sendable]

    /// Reads the given values, which are keyed by parameter name. Other names, such as those of the
    /// options that all commands accept, are ignored.
    package init(
        _ verb: Command, given: [String: Given], order: [String] = []
    ) throws(TapcardError) {
        var values: [String: any Sendable] = [:]
        for row in verb.spec.parameters {
            guard let given = given[row.name] else { continue }
            values[row.name] = try translating(row.read(given, row)) { (error: TapcardError) in
                error.fitting(verb.spec)
            }
        }
        (self.verb, self.order, self.values) = (verb, order, values)
    }

    package func isGiven<Value>(_ parameter: Parameter<Value>) -> Bool { isGiven(parameter.row) }

    package func isGiven(_ row: CommandParameter) -> Bool { values[row.name] != nil }

    /// The value. It is nil, false, or empty if none was given or the command has no such
    /// parameter.
    package subscript<Value>(_ parameter: Parameter<Value>) -> Value {
        if let value = values[parameter.row.name] as? Value { return value }
        guard let absent = parameter.absent else {
            // The parsers refuse a command line or a call that lacks a required value.
            preconditionFailure("\(verb.words) needs \(parameter.row.name)")
        }
        return absent
    }
}
