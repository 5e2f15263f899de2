/// One of the three services in the sandbox.
public enum SandboxService: String, CaseIterable, Sendable {
    case activation, lottery, mastermind

    /// The path of the service's base address.
    package var path: String { self == .mastermind ? "/mastermind/api/v2" : "/\(rawValue)" }
}

/// The calls that the services accept.
package enum SandboxCall: CaseIterable, Sendable {
    case version
    case draws, tickets
    case login, start, guess, ranking

    package var service: SandboxService {
        switch self {
        case .version: .activation
        case .draws, .tickets: .lottery
        case .login, .start, .guess, .ranking: .mastermind
        }
    }

    package var method: String {
        switch self {
        case .version, .draws, .tickets, .ranking: "GET"
        case .login, .start, .guess: "POST"
        }
    }

    package var path: String {
        let name =
            switch self {
            case .version: "version"
            case .draws: "StubLottoResultsData.json"
            case .tickets: "StubMyTicketsData.json"
            case .login: "login"
            case .start: "logik/start"
            case .guess: "logik/guess"
            case .ranking: "logik/ranking"
            }
        return "\(service.path)/\(name)"
    }
}

/// The parts of a request that a sandbox service uses.
package struct SandboxQuestion: Sendable {
    package var code: String?
    package var token: String?
    /// The ETag from the If-None-Match header; `nil` if the client did not send that header.
    package var knownTag: String?
    package var body: [UInt8] = []

    package init() {}
}
