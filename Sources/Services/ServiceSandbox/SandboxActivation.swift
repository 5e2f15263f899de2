import TapcardDomain
package import TextCodecs

/// The activation service. It returns a version for each code. A code always gets the same version,
/// even if the version for new codes has since changed.
package struct SandboxActivation: Sendable {
    private static let firstVersion = "6.24"
    /// The value of an extra member in the response, which has no meaning for cards.
    private static let android = "413506"
    /// The maximum number of codes to remember. Once it is reached, new codes are refused.
    package static let maximumCodes = 10_000
    package static let maximumVersionLength = 64

    /// The version for new codes.
    package private(set) var version = SandboxActivation.firstVersion
    private var versions: [ScratchCode: String] = [:]

    package init() {}

    /// Sets the version for new codes. An invalid version is allowed, so that tests can check how
    /// clients handle it.
    package mutating func name(_ version: String) throws(SandboxProblem) {
        guard version.utf8.count <= SandboxActivation.maximumVersionLength else {
            throw .malformed(
                "a version has at most \(SandboxActivation.maximumVersionLength) bytes")
        }
        self.version = version
    }

    /// Responds to a request. `code` is the code in the query, if there is one.
    package mutating func answer(code: String?) throws(SandboxProblem) -> JSONValue {
        guard let code = code.flatMap({ ScratchCode($0) }) else {
            throw .malformed("code is not a UUID")
        }
        // If an old code were forgotten instead, its version could change.
        guard versions[code] != nil || versions.count < SandboxActivation.maximumCodes else {
            throw .full("the sandbox cannot remember more than \(versions.count) codes")
        }
        let version = versions[code] ?? version
        versions[code] = version
        return SandboxActivation.document(version)
    }

    package static func document(_ version: String) -> JSONValue {
        ["ios": .string(version), "android": .string(android)]
    }
}
