import TapcardDomain
package import TextCodecs

/// The activation service: names a version for each code, and names it again when it is asked
/// again, whatever it names to others by then.
package struct SandboxActivation: Sendable {
    private static let firstVersion = "6.24"
    /// What else the service says; it means nothing to a card.
    private static let android = "413506"
    /// So many codes are remembered; more are turned away.
    package static let mostCodes = 10_000
    package static let longestVersion = 64

    /// What codes get that have not been asked yet.
    package private(set) var version = SandboxActivation.firstVersion
    private var given: [ScratchCode: String] = [:]

    package init() {}

    /// Whatever it is: a test may want a version that is none.
    package mutating func name(_ version: String) throws(SandboxProblem) {
        guard version.utf8.count <= SandboxActivation.longestVersion else {
            throw .malformed("a version has at most \(SandboxActivation.longestVersion) bytes")
        }
        self.version = version
    }

    /// `code` as it stands behind the question mark; nil where it does not.
    package mutating func answer(code: String?) throws(SandboxProblem) -> JSONValue {
        guard let code = code.flatMap({ ScratchCode($0) }) else {
            throw .malformed("code is no UUID")
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
