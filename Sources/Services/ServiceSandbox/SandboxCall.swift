/// One of the three services that are stood in for.
public enum SandboxService: String, CaseIterable, Sendable {
    case activation, lottery, mastermind

    /// What its base address ends in.
    package var path: String { self == .mastermind ? "/mastermind/api/v2" : "/\(rawValue)" }
}

/// What can be asked of them.
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

/// What stands in a request and means something to a stand-in.
package struct SandboxQuestion: Sendable {
    package var code: String?
    package var token: String?
    package var conditions = HTTPConditions()
    package var body: [UInt8] = []

    package init() {}
}
