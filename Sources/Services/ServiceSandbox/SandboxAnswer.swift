package import TextCodecs

/// A sandbox service's response to one request, before it is sent.
package struct SandboxAnswer: Hashable, Sendable {
    /// The body of a response.
    package enum Body: Hashable, Sendable {
        case text(String)
        /// The beginning of the text. The Content-Length header promises more bytes than are sent.
        case cutOff(String, promisedBytes: Int)
        /// This many spaces, generated while they are being sent. `isAnnounced` tells whether there
        /// is a Content-Length header.
        case spaces(Int, isAnnounced: Bool)
    }

    package var status: Int
    package var headers: [String: String]
    package var body: Body
    /// The delay before the response is sent.
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

/// The reason a sandbox service refuses a request. It is unknown how the real services would
/// respond. Here, the status identifies the kind of problem, and the text describes it.
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
