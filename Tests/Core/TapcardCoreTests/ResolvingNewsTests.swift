import Cards
import Ledger
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// Every answer of a tap says what the tap has resolved, because no caller was told before.
@Suite("Reports of resolved operations")
struct ResolvingNewsTests {
    /// How an earlier operation was left open, which decides what becomes of it.
    enum Left: CaseIterable {
        /// The record is on the tag, and no caller was told.
        case written
        /// Nothing of it is on the tag.
        case unwritten

        var fault: Fault {
            switch self {
            case .written: Fault(at: 4, counting: .write, .pulledAfter)
            case .unwritten: Fault(at: 1, counting: .write, .lost)
            }
        }
    }

    /// A card of ten dollars whose payment of 2.50, operation 2, was left open.
    private func world(_ left: Left = .written) async throws -> World {
        let world = try await World.withCard()
        try await world.arm(left.fault)
        let said = await outcome { () throws(TapcardError) in
            try await world.station.pay(World.usd(250), id: World.id(2))
        }
        guard case .failure(let error) = said else {
            Issue.record("not left open")
            return world
        }
        #expect(error.kind == .outcomeUnknown && error.operation == World.id(2))
        #expect(error.next.contains(.request(.repeatWithID(World.id(2)))))
        #expect(error.resolved == [])
        try await world.putBack()
        return world
    }

    private func expect(
        _ resolved: [ResolvedOperation], _ left: Left,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(resolved.map(\.operation.id) == [World.id(2)], sourceLocation: sourceLocation)
        #expect(resolved.map(\.amount) == [World.usd(-250)], sourceLocation: sourceLocation)
        #expect(resolved.map(\.isDone) == [left == .written], sourceLocation: sourceLocation)
    }

    /// The next request on the card.
    enum Next: CaseIterable {
        case pay, add, close, scratch, protect, game, read, check

        func resolved(at station: Station) async throws(TapcardError) -> [ResolvedOperation] {
            let id = World.id(3)
            switch self {
            case .pay: return try await station.pay(World.usd(100), id: id).resolved
            case .add: return try await station.add(World.usd(100), id: id).resolved
            case .close: return try await station.close(id: id).resolved
            case .scratch: return try await station.scratch(id: id).resolved
            case .protect: return try await station.protect(id: id).resolved
            case .game: return try await station.saveGame(nil, id: id).resolved
            case .read: return try await station.read().resolved
            case .check: return try await station.checkTickets().card.resolved
            }
        }
    }

    @Test(
        "Each receipt reports what its tap resolved, and the next one does not",
        arguments: Next.allCases, Left.allCases)
    func receipts(_ next: Next, _ left: Left) async throws {
        let world = try await world(left)
        expect(try await next.resolved(at: world.station), left)
        #expect(try await world.station.read().resolved == [])
    }

    @Test("Each refusal reports what its tap resolved", arguments: Left.allCases)
    func refusals(_ left: Left) async throws {
        let world = try await world(left)
        let said = await outcome { () throws(TapcardError) in
            try await world.station.pay(World.usd(5_000), id: World.id(3))
        }
        guard case .failure(let error) = said else {
            Issue.record("not refused")
            return
        }
        #expect(error.kind == .refusal(.insufficientBalance))
        expect(error.resolved, left)
    }

    @Test("The error for a damaged card reports the operation that the tap voided")
    func damaged() async throws {
        let world = try await world(.unwritten)
        let layout = try await world.tag().layout
        let recordPages = layout.recordPages.flatMap { $0...$0 + 3 }
        try await world.alter { tag in
            for page in recordPages { tag[page] = .zero }
        }
        let said = await outcome { () throws(TapcardError) in
            try await world.station.pay(World.usd(100), id: World.id(3))
        }
        guard case .failure(let error) = said else {
            Issue.record("not refused")
            return
        }
        #expect(error.kind == .damaged)
        expect(error.resolved, .unwritten)
    }

    @Test("Reissuing or replacing a card reports the operation that it ended")
    func endedByMaking() async throws {
        let world = try await world(.unwritten)
        let request = CardRequest(
            .issue(.nobody, World.usd(500), hasScratchCard: false), mayReissue: true)
        let summary = try await world.station.make(request, id: World.id(3))
        expect(summary.resolved, .unwritten)
        #expect(summary.operation == World.id(3))

        let other = try await self.world(.unwritten)
        let lost = try await other.uid()
        try await other.put(try World.otherTag())
        let replaced = try await other.station.make(CardRequest(.replace(lost)), id: World.id(3))
        expect(replaced.resolved, .unwritten)
        #expect(replaced.balance == World.usd(1_000))
    }

    @Test("A payment that resolves a closing is refused and reports the closing")
    func closingFound() async throws {
        let world = try await World.withCard()
        try await world.arm(Left.written.fault)
        _ = try? await world.station.close(id: World.id(2))
        try await world.putBack()
        let said = await outcome { () throws(TapcardError) in
            try await world.station.pay(World.usd(100), id: World.id(3))
        }
        guard case .failure(let error) = said else {
            Issue.record("not refused")
            return
        }
        #expect(error.kind == .refusal(.cardClosed))
        #expect(error.resolved.map(\.operation.kind) == [.close])
        #expect(error.resolved.map(\.amount) == [World.usd(-1_000)])
    }
}

/// A request for the amount that its own tap has just resolved is taken for a retry.
@Suite("Requests that repeat a just resolved one")
struct JustResolvedTests {
    /// A request that is sent twice.
    enum Request: CaseIterable {
        case pay, add

        func ask(
            _ station: Station, _ id: OperationID, refusingIfJustResolved: Bool
        ) async throws(TapcardError) -> Receipt {
            switch self {
            case .pay:
                try await station.pay(
                    World.usd(250), id: id, refusingIfJustResolved: refusingIfJustResolved)
            case .add:
                try await station.add(
                    World.usd(250), id: id, refusingIfJustResolved: refusingIfJustResolved)
            }
        }

        /// The balance of a card of ten dollars after this many requests.
        func balance(_ count: Int64) -> Int64 { 1_000 + (self == .pay ? -250 : 250) * count }
    }

    /// A card on which the request was written but not confirmed.
    private func world(_ request: Request) async throws -> World {
        let world = try await World.withCard()
        try await world.arm(Fault(at: 4, counting: .write, .pulledAfter))
        _ = try? await request.ask(world.station, World.id(2), refusingIfJustResolved: true)
        try await world.putBack()
        return world
    }

    @Test(
        "A request equal to one that its tap has just resolved is refused",
        arguments: Request.allCases)
    func refused(_ request: Request) async throws {
        let world = try await world(request)
        let said = await outcome { () throws(TapcardError) in
            try await request.ask(world.station, World.id(3), refusingIfJustResolved: true)
        }
        guard case .failure(let error) = said else {
            Issue.record("charged twice")
            return
        }
        #expect(error.kind == .justResolved && error.result == .refused)
        #expect(error.operation == World.id(2))
        #expect(error.resolved.map(\.operation.id) == [World.id(2)])
        #expect(error.next == [.request(.repeatIfIntended)])
        #expect(try await world.balance() == request.balance(1))
        // Nothing was left open now, so the next one is a new one.
        let next = try await request.ask(world.station, World.id(4), refusingIfJustResolved: true)
        #expect(!next.isReplayed && next.resolved == [])
        try await world.expectResolved()
    }

    @Test(
        "A request equal to a just resolved one is carried out if repetition is allowed",
        arguments: Request.allCases)
    func insisted(_ request: Request) async throws {
        let world = try await world(request)
        let receipt = try await request.ask(
            world.station, World.id(3), refusingIfJustResolved: false)
        #expect(receipt.operation.id == World.id(3))
        #expect(receipt.resolved.map(\.operation.id) == [World.id(2)])
        #expect(try await world.balance() == request.balance(2))
    }

    @Test("A request is carried out if the resolved one differed or was voided")
    func another() async throws {
        let world = try await world(.pay)
        _ = try await world.station.pay(
            World.usd(100), id: World.id(3), refusingIfJustResolved: true)
        #expect(try await world.balance() == 650)

        let voided = try await World.withCard()
        try await voided.arm(Fault(at: 1, counting: .write, .lost))
        _ = try? await voided.station.pay(World.usd(250), id: World.id(2))
        try await voided.putBack()
        let receipt = try await voided.station.pay(
            World.usd(250), id: World.id(3), refusingIfJustResolved: true)
        #expect(receipt.resolved.map(\.isDone) == [false])
        #expect(try await voided.balance() == 750)
    }
}
