package import TextCodecs

/// A sandbox service's answer to one request, before it is sent.
package struct SandboxAnswer: Hashable, Sendable {
    /// The body of an answer.
    package enum Body: Hashable, Sendable {
        case text(String)
        /// The beginning of the text. The headers promise more bytes than are sent.
        case cutOff(String, promisedBytes: Int)
        /// This many spaces, generated as they are sent. `isAnnounced` says whether the headers
        /// include their number.
        case spaces(Int, isAnnounced: Bool)
    }

    package var status: Int
    package var headers: [String: String]
    package var body: Body
    /// The delay before the answer is sent.
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

/// Why a sandbox service refuses a request. How the real services would answer is unknown. Here,
/// the status identifies the kind of problem, and the text describes it.
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
