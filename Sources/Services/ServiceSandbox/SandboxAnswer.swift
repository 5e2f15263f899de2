package import TextCodecs

/// What a stand-in says to one request, before it goes onto the line.
package struct SandboxAnswer: Hashable, Sendable {
    /// What is sent behind the headers.
    package enum Body: Hashable, Sendable {
        case text(String)
        /// The beginning of a text of which more bytes are promised than ever come.
        case cutOff(String, promisedBytes: Int)
        /// So many spaces, made while they are sent; their number may be announced before.
        case spaces(Int, isAnnounced: Bool)
    }

    package var status: Int
    package var headers: [String: String]
    package var body: Body
    /// How long it is held back.
    package var delay: Duration = .zero

    package init(_ status: Int, headers: [String: String] = [:], body: Body = .text("")) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    package init(_ document: JSONValue, status: Int = 200) {
        self.init(
            status, headers: ["Content-Type": "application/json"], body: .text(document.text))
    }

    package init(_ problem: SandboxProblem) {
        self.init(["error": .string(problem.detail)], status: problem.status)
    }
}

/// Why a stand-in does not do what it was asked. What the real services say then is not known:
/// the status tells the kind, the words are for whoever looks.
package struct SandboxProblem: Error, Hashable, Sendable {
    package let status: Int
    package let detail: String

    package static func malformed(_ detail: String) -> SandboxProblem {
        SandboxProblem(status: 400, detail: detail)
    }

    package static func unauthorized(_ detail: String) -> SandboxProblem {
        SandboxProblem(status: 401, detail: detail)
    }

    package static func notFound(_ detail: String) -> SandboxProblem {
        SandboxProblem(status: 404, detail: detail)
    }

    package static func conflict(_ detail: String) -> SandboxProblem {
        SandboxProblem(status: 409, detail: detail)
    }

    package static func full(_ detail: String) -> SandboxProblem {
        SandboxProblem(status: 503, detail: detail)
    }
}
