import Ledger
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// The requests that change a card's state, each with the world that it needs.
enum TillRequest: CaseIterable, Sendable {
    case pay, add, scratch, issue, adopt, close, replace, refund
    case protect, unprotect, issueProtected, payProtected

    private static let id = World.id(7)
    private static let payment = World.id(6)

    /// A world in which this request comes next, with its tag on the reader.
    func world(on chip: Type2Chip = .ntag213) async throws -> World {
        let world = World(try World.blank(chip))
        switch self {
        case .pay, .add, .scratch, .close, .protect:
            try await world.issue()
        case .unprotect, .payProtected:
            try await world.issue(protects: true)
        case .issue, .issueProtected: break
        case .adopt:
            var tag = try await world.tag()
            try tag.lay(TagMemory.appRecord(TagMemory.appJSON))
            try await world.put(tag)
        case .replace:
            try await world.put(try World.otherTag())
            try await world.issue()
            try await world.putBack()
        case .refund:
            try await world.issue()
            _ = try await world.station.pay(World.usd(300), id: TillRequest.payment)
        }
        return world
    }

    /// Makes the request, always under one id.
    func perform(at station: Station) async throws(TapcardError) {
        switch self {
        case .pay, .payProtected: _ = try await station.pay(World.usd(250), id: TillRequest.id)
        case .add: _ = try await station.add(World.usd(200), id: TillRequest.id)
        case .scratch: _ = try await station.scratch(id: TillRequest.id)
        case .close: _ = try await station.close(id: TillRequest.id)
        case .refund: _ = try await station.refund(TillRequest.payment)
        case .protect: _ = try await station.protect(id: TillRequest.id)
        case .unprotect: _ = try await station.unprotect(id: TillRequest.id)
        case .issue, .adopt, .replace, .issueProtected:
            _ = try await station.make(try cardRequest(), id: TillRequest.id)
        }
    }

    private func cardRequest() throws(TapcardError) -> CardRequest {
        switch self {
        case .adopt: return CardRequest(.adopt(accepting: World.usd(1_250)))
        case .replace:
            guard let lost = CardUID(bytes: World.otherUID) else {
                preconditionFailure("the other tag has seven bytes")
            }
            return CardRequest(.replace(lost))
        default:
            do {
                return CardRequest(
                    .issue(
                        try World.holder("Amanda Gonzalez"), World.usd(700), hasScratchCard: true),
                    protects: self == .issueProtected)
            } catch {
                throw TapcardError(error)
            }
        }
    }

    /// The card's balance before the request, or nil if there is no card yet.
    var before: Int64? {
        switch self {
        case .pay, .add, .scratch, .close, .protect, .unprotect, .payProtected: 1_000
        case .refund: 700
        case .issue, .adopt, .replace, .issueProtected: nil
        }
    }

    var after: Int64 {
        switch self {
        case .pay, .payProtected: 750
        case .add: 1_200
        case .scratch, .replace, .refund, .protect, .unprotect: 1_000
        case .issue, .issueProtected: 700
        case .adopt: 1_250
        case .close: 0
        }
    }

    var kind: Ledger.Operation.Kind {
        switch self {
        case .pay, .payProtected: .pay
        case .add: .add
        case .scratch: .scratch
        case .issue, .issueProtected: .issue
        case .protect: .protect
        case .unprotect: .unprotect
        case .adopt: .adopt
        case .close: .close
        case .replace: .replace
        case .refund: .refund
        }
    }

    /// Its operation in the ledger.
    func operation(in world: World) async throws -> Ledger.Operation? {
        let reversed = self == .refund ? TillRequest.payment : nil
        return try await world.operations().last { operation in
            operation.kind == kind
                && (operation.id == TillRequest.id
                    || operation.reverses == reversed && reversed != nil)
        }
    }

    /// Expects the account and the card's state to be as after the request, or as before it.
    func expectDone(
        _ isDone: Bool, in world: World, _ label: Comment,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let balance = try await world.balance()
        #expect(balance == (isDone ? after : before), label, sourceLocation: sourceLocation)
        let uid = try await world.uid()
        let known = try await world.ledger.knownCard(of: uid)
        switch self {
        case .scratch:
            #expect(
                (known?.card.scratch.code != nil) == isDone, label, sourceLocation: sourceLocation)
        case .close:
            #expect(
                (known?.card.status == .closed) == isDone, label, sourceLocation: sourceLocation)
        case .replace:
            let lost = try await world.ledger.knownCard(
                of: try #require(CardUID(bytes: World.otherUID)))
            #expect(
                lost?.balance.minorUnits == (isDone ? 0 : 1_000), label,
                sourceLocation: sourceLocation)
            #expect(
                lost?.card.status == (isDone ? .replaced : .active), label,
                sourceLocation: sourceLocation)
        case .protect, .unprotect, .issueProtected:
            let isProtected = (self != .unprotect) == isDone
            if known != nil {
                #expect(
                    known?.card.protection == (isProtected ? .on(keyID: 1) : .off), label,
                    sourceLocation: sourceLocation)
            }
        case .payProtected:
            #expect(
                known?.card.protection == .on(keyID: 1), label, sourceLocation: sourceLocation)
        case .pay, .add, .issue, .adopt, .refund: break
        }
    }
}
