import Verbs

/// Why a command line cannot be run. Errors are equal if their kinds are equal.
package struct CommandLineError: Error, Sendable, Equatable {
    /// The rule that was broken.
    package enum Kind: Sendable, Hashable {
        case unknownVerb, unknownOption, repeatedOption, missingValue, unexpectedValue
        case missingArgument, tooManyArguments, notAmongChoices
    }

    package let kind: Kind
    /// The explanation, with a reference to the help.
    package let detail: String

    package static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }
}
