import Verbs

/// Why a command line cannot be run. Two errors are equal when their kinds are.
package struct CommandLineError: Error, Sendable, Equatable {
    /// The rule that was broken.
    package enum Kind: Sendable, Hashable {
        case unknownVerb, unknownOption, repeatedOption, missingValue, unexpectedValue
        case missingArgument, tooManyArguments, notAmongChoices
    }

    package let kind: Kind
    /// Says what is wrong and where to find help.
    package let detail: String

    package static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }
}
