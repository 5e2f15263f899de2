import CardCryptography
import Ledger
import PortDoubles
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// A request made through a distant reader, for every kind of tag.
enum FarRequest: Sendable, ProvenCards, CustomTestStringConvertible {
    case pages(TillRequest)
    case payFromNTAG424, addToNTAG424, issueNTAG424, changeKeys

    static let onNTAG424 = [payFromNTAG424, addToNTAG424, issueNTAG424, changeKeys]

    var testDescription: String { "\(self)" }

    func world() async throws -> World {
        switch self {
        case .pages(let request): try await request.world()
        case .issueNTAG424: try factory()
        case .payFromNTAG424, .addToNTAG424, .changeKeys: try await made()
        }
    }

    private var keys: KeyRing? { if case .changeKeys = self { Self.rotated } else { nil } }

    /// Makes the request, always with the same ID.
    func perform(_ reader: any TagReader, in world: World) async throws(TapcardError) {
        let station = world.station(reader: reader, keys: keys)
        switch self {
        case .pages(let request): try await request.perform(at: station)
        case .payFromNTAG424, .changeKeys:
            _ = try await station.pay(World.usd(250), id: World.id(7))
        case .addToNTAG424: _ = try await station.add(World.usd(200), id: World.id(7))
        case .issueNTAG424:
            _ = try await station.make(
                CardRequest(.issue(.nobody, World.usd(700), hasScratchCard: false)),
                id: World.id(7))
        }
    }

    func isCommitted(in world: World) async throws -> Bool {
        if case .pages(let request) = self {
            return try await request.operation(in: world)?.state == .committed
        }
        return try await world.ledger.answer(to: World.id(7))?.state == .committed
    }

    /// Taps the card again, repeats the request if it failed, and expects the card and the ledger
    /// to be as after a single request.
    func expectOne(
        afterFailure hasFailed: Bool, _ reader: any TagReader, in world: World, _ label: Comment
    ) async throws {
        _ = try? await world.station(reader: reader, keys: keys).read()
        if case .pages(let request) = self {
            if hasFailed { try await request.perform(again: world) }
            try await request.expectDone(true, in: world, label)
        } else {
            if hasFailed { try? await perform(reader, in: world) }
            // A request that the second tap voided stays voided.
            if try await world.ledger.answer(to: World.id(7))?.state != .voided {
                try await expectWhole(world, after, keyID: keys == nil ? 1 : 2)
            }
        }
        #expect(try await world.ledger.audit().violations == [], label)
    }

    private var after: Int64 {
        switch self {
        case .pages: 0
        case .payFromNTAG424, .changeKeys: 750
        case .addToNTAG424: 1_200
        case .issueNTAG424: 700
        }
    }
}
