import Ledger
import TapcardCore
import TapcardDomain
import TextCodecs

/// Fetches draws and tickets from the lottery service.
struct LotteryFetcher {
    private let session: Session

    init(_ session: Session) { self.session = session }

    /// Returns the list of draws. If `forgetting` is true (`--forget`), because the lottery has
    /// started over, the saved list is ignored and replaced.
    func draws(forgetting: Bool = false) async throws(TapcardError) -> Fetched<DrawList> {
        try await asking(
            or: forgetting ? "Any cached list was kept." : "No data is available."
        ) { lottery throws(ServiceError) in
            try await lottery.draws(forgetting: forgetting)
        }
    }

    /// The tickets stored by the lottery service.
    func storedTickets() async throws(TapcardError) -> Fetched<[Ticket]> {
        try await asking(or: "No data is available.") { lottery throws(ServiceError) in
            try await lottery.tickets()
        }
    }

    private func asking<Value>(
        or meaning: String,
        _ ask: (any LotteryService) async throws(ServiceError) -> Fetched<Value>
    ) async throws(TapcardError) -> Fetched<Value> {
        let lottery = try session.services().lottery
        session.waiting.show("Asking the lottery")
        if session.outputOptions.isVerbose { session.say("tapcard: asking the lottery\n") }
        let fetched = try await translating(awaiting: await ask(lottery)) {
            TapcardError($0, meaning: meaning)
        }
        if Task.isCancelled { throw TapcardError(.cancelled, "Canceled.") }
        return fetched
    }
}

extension Settings {
    /// The currency for displayed amounts: the ledger's or, without a ledger, the one in the
    /// settings.
    func currency(of ledger: (any LedgerStore)?) throws(TapcardError) -> Currency {
        if let ledger { return ledger.currency }
        return try currency ?? .usd
    }
}

extension LotteryLayout {
    /// Creates a layout for the terminal's width, or one without a limit for a pipe.
    init(_ console: Console, indent: Int = 0) {
        // This is used if a terminal does not report its width.
        let defaultWidth = 80
        width = console.isTerminal ? (console.columns() ?? defaultWidth) - indent : nil
    }
}

/// The age of a response or, for two responses, the age of the older one.
struct AnswerAge: Sendable {
    private let age: Int
    private let staleness: ServiceError?

    init<Value>(_ fetched: Fetched<Value>) {
        self.init(age: fetched.age, staleness: fetched.staleness)
    }

    private init(age: Int, staleness: ServiceError?) {
        (self.age, self.staleness) = (age, staleness)
    }

    func joined(_ other: AnswerAge) -> AnswerAge {
        AnswerAge(age: max(age, other.age), staleness: staleness ?? other.staleness)
    }

    fileprivate var members: (first: Members, last: Members) {
        (["age": .number(age)], ["stale": .text(staleness?.kind.rawValue)])
    }

    fileprivate var sentence: String? {
        staleness.map {
            "This information was cached \(Age.words(age)) ago and is shown because "
                + "\(Age.words($0))."
        }
    }
}

extension Report {
    /// Reports a response from the lottery with its age. The text mentions the age only if the
    /// response is not fresh.
    init(
        _ age: AnswerAge, _ members: Members, lines: [Line], _ layout: LotteryLayout,
        problem: TapcardError? = nil, isPlain: Bool = false, isChange: Bool = false
    ) {
        self.init(
            age.members.first + members + age.members.last,
            lines: lines + (age.sentence.map(layout.sentence) ?? []), problem: problem,
            isPlain: isPlain, isChange: isChange)
    }
}

/// Descriptions of a response's age, and of the reason there is no newer response.
enum Age {
    private static let units = [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")]

    /// The age in the largest whole unit.
    static func words(_ seconds: Int) -> String {
        let (size, name) = units.first { seconds >= $0.0 } ?? (1, "second")
        let count = max(0, seconds) / size
        return "\(count) \(name)\(count == 1 ? "" : "s")"
    }

    static func words(_ error: ServiceError) -> String {
        switch error.kind {
        case .offline, .timedOut, .cutOff: "the lottery did not respond"
        case .broken: "the lottery's service failed"
        case .goneBack:
            "the lottery's list lost draws (\(error.detail)); use tapcard draws --forget if the "
                + "lottery has been reset"
        default: "the lottery's response could not be used (\(error.detail))"
        }
    }
}
