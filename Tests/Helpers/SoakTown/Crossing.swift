import BlockingLane
import FaultyWorld
import Ledger
import TapcardCore
import TapcardDomain

extension Town {
    /// One card moves between two tills: in the middle of a tap at one it is used at the other, and
    /// something may go wrong at either.
    mutating func crossing(_ index: Int) async throws(Broken) {
        let uid = uid(index)
        guard books.accounts[uid]?.standing == .active, bodies[index].marks.isEmpty,
            books.accounts[uid]?.claims.isEmpty == true
        else { return }
        let claims = (0..<2).map { _ in
            Books.Claim(
                kind: chance.percent(70) ? .pay : .add, id: newID(),
                amount: Int64(chance.below(400) + 1))
        }
        let hold: Hold = chance.percent(50) ? .disturbed : .calm
        let asks = (request(claims[0]), request(claims[1]))
        let longestTap = 62
        let meeting = Meeting(afterSteps: chance.below(longestTap), asks.1)
        for claim in claims { books.begin(claim, on: uid) }
        let act: @Sendable (Scene) async -> Said = { scene in
            meeting.begin(in: scene)
            let first = await scene.hear(asks.0, at: 0)
            return Said(first: first, second: meeting.end())
        }
        let said = try await playScene(
            index, hold, stations: 2, turn: { number in if number == 0 { await meeting.turn() } },
            act)
        note("taps")
        note(said.second == nil ? "tills that did not meet" : "tills that met over a card")
        for (claim, answer) in [(claims[0], said.first), (claims[1], said.second ?? nil)] {
            let asked = words(claim)
            tell(index, "\(asked) at one of two tills: \(Town.words(answer))")
        }
        // What was known as both began; of each other they know nothing.
        if said.second == nil { books.didNotHappen(claims[1], on: uid) }
        guard let account = books.accounts[uid] else { return }
        let haveMet = said.second != nil
        try hear(said.first, claims[0], index, account, haveMet: haveMet)
        if let second = said.second {
            try hear(second, claims[1], index, account, haveMet: haveMet)
        }
        try await calmRead(index)
    }

    /// Takes the answer of one till to a customer at two of them.
    private mutating func hear(
        _ said: Result<Receipt, TapcardError>?, _ claim: Books.Claim, _ index: Int,
        _ account: Books.Account, haveMet: Bool
    ) throws(Broken) {
        try expectTruth(said, words(claim), nil, tables.operations[claim.id]?.state)
        switch said {
        case .success:
            note("answers: \(claim.kind.rawValue) done, between two tills")
            books.happened(claim, on: uid(index))
        case .failure(let error):
            note("answers: \(error.kind.word), between two tills")
            if Town.blames(error) {
                throw broken("I7: an honest card at two tills is \(error.kind.word)")
            }
            // The card left in the middle of it, or the other till voided what it shows.
            let isOfMeeting =
                haveMet
                && [.tagLost, .noCard, .outcomeUnknown, .operationVoided].contains(error.kind)
            guard
                isOfMeeting || isExplained(error.kind, index)
                    || account.explains(error.kind, of: claim)
            else { throw broken("\(words(claim)) at one of two tills ended so: \(error)") }
            if error.kind != .outcomeUnknown { books.didNotHappen(claim, on: uid(index)) }
        case nil: note("answers: none, between two tills")
        }
    }
}

/// The answers of two tills; nothing from the second if the card never came there.
private struct Said: Sendable {
    let first: Result<Receipt, TapcardError>?
    let second: Result<Receipt, TapcardError>??
}

/// Two tills meet over one card, and again in every rehearsal.
private final class Meeting: Sendable {
    private struct State {
        var scene: Scene?
        var left = 0
        var said: Result<Receipt, TapcardError>??
    }

    private let state = Guarded(State())
    private let steps: Int
    private let ask: Ask<Receipt>

    init(afterSteps steps: Int, _ ask: @escaping Ask<Receipt>) {
        self.steps = steps
        self.ask = ask
    }

    func begin(in scene: Scene) {
        state.withLock { $0 = State(scene: scene, left: steps) }
    }

    func end() -> Result<Receipt, TapcardError>?? {
        state.withLock { state in
            state.scene = nil
            return state.said
        }
    }

    /// Before a chosen step of the first till the card goes to the second, and back.
    func turn() async {
        let scene = state.withLock { state in
            defer { state.left -= 1 }
            return state.left == 0 ? state.scene : nil
        }
        guard let scene else { return }
        scene.moveCard(to: 1)
        let answer = await scene.hear(ask, at: 1)
        state.withLock { $0.said = .some(answer) }
        scene.moveCard(to: 0)
    }
}
