import TapcardDomain
package import TextCodecs

/// The activation service: it returns a version for each code, and always the same one for the same
/// code, even if the version for new codes has changed.
package struct SandboxActivation: Sendable {
    private static let firstVersion = "6.24"
    /// An extra member in the answer, which means nothing to a card.
    private static let android = "413506"
    /// The maximum number of codes that are remembered; further codes are refused.
    package static let mostCodes = 10_000
    package static let longestVersion = 64

    /// The version for new codes.
    package private(set) var version = SandboxActivation.firstVersion
    private var given: [ScratchCode: String] = [:]

    package init() {}

    /// Sets the version, which may be invalid for a test.
    package mutating func name(_ version: String) throws(SandboxProblem) {
        guard version.utf8.count <= SandboxActivation.longestVersion else {
            throw .malformed("a version has at most \(SandboxActivation.longestVersion) bytes")
        }
        self.version = version
    }

    /// The answer to a code. `code` is the text after the question mark, if any.
    package mutating func answer(code: String?) throws(SandboxProblem) -> JSONValue {
        guard let code = code.flatMap({ ScratchCode($0) }) else {
            throw .malformed("code is not a UUID")
        }
        guard given[code] != nil || given.count < SandboxActivation.mostCodes else {
            throw .full("the sandbox remembers no more than \(given.count) codes")
        }
        let version = given[code] ?? version
        given[code] = version
        return SandboxActivation.document(version)
    }

    package static func document(_ version: String) -> JSONValue {
        ["ios": .string(version), "android": .string(android)]
    }
}
