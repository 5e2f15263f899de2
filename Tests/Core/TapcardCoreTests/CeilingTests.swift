import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// Amounts above a ceiling need confirmation, and those above an absolute limit are refused.
@Suite("Ceilings")
struct CeilingTests {
    @Test("A payment or top-up above its ceiling needs confirmation")
    func forgottenPoint() async throws {
        let world = try await World.withCard(ceilings: nil)
        for station in [world.station, world.station(reader: SimulatedReader(Simulation()))] {
            await expectRefused(.confirmationNeeded, exit: 4) { () throws(TapcardError) in
                try await station.pay(World.usd(500_000), id: World.id(2))
            }
            await expectRefused(.confirmationNeeded, exit: 4) { () throws(TapcardError) in
                try await station.add(World.usd(500_000), id: World.id(2))
            }
        }
        #expect(try await world.ledger.operation(World.id(2)) == nil, "nothing was begun")
        let receipt = try await world.station.confirmed().add(
            World.usd(500_000), id: World.id(2))
        #expect(receipt.balance == World.usd(501_000))
    }

    @Test("An opening balance above the ceiling needs confirmation")
    func newCards() async throws {
        let world = World(try World.blank(), ceilings: nil)
        let request = CardRequest(.issue(.nobody, World.usd(20_001), hasScratchCard: true))
        await expectRefused(.confirmationNeeded, exit: 4) { () throws(TapcardError) in
            try await world.station.make(request, id: World.id(2))
        }
        #expect(try await world.ledger.knownCard(of: world.uid()) == nil)
        let summary = try await world.station.confirmed().make(request, id: World.id(2))
        #expect(summary.balance == World.usd(20_001))
    }

    @Test("A top-up that would raise the balance above its ceiling needs confirmation")
    func balance() async throws {
        let world = try await World.withCard(ceilings: nil)
        for number in UInt64(2)...3 {
            _ = try await world.station.add(World.usd(20_000), id: World.id(number))
        }
        await expectRefused(.confirmationNeeded, exit: 4) { () throws(TapcardError) in
            try await world.station.add(World.usd(9_001), id: World.id(4))
        }
        #expect(try await world.ledger.operation(World.id(4)) == nil, "nothing was begun")
        #expect(
            try await world.station.add(World.usd(9_000), id: World.id(5)).balance
                == World.usd(50_000))
    }

    @Test("Not even a confirmation allows an amount above the absolute limit")
    func absolute() async throws {
        let world = try await World.withCard(ceilings: nil)
        for station in [world.station, world.station.confirmed()] {
            await expectRefused(.refusal(.limitExceeded), exit: 4) { () throws(TapcardError) in
                try await station.pay(World.usd(1_000_001), id: World.id(2))
            }
            await expectRefused(.refusal(.limitExceeded), exit: 4) { () throws(TapcardError) in
                try await station.add(World.usd(2_000_001), id: World.id(2))
            }
        }
        #expect(try await world.ledger.operation(World.id(2)) == nil)
    }

    @Test("Repeating a completed request needs no second confirmation")
    func repetition() async throws {
        let world = try await World.withCard(ceilings: nil)
        _ = try await world.station.confirmed().add(World.usd(60_000), id: World.id(2))
        _ = try await world.station.confirmed().pay(World.usd(30_000), id: World.id(3))
        #expect(try await world.station.add(World.usd(60_000), id: World.id(2)).isReplayed)
        #expect(try await world.station.pay(World.usd(30_000), id: World.id(3)).isReplayed)
        #expect(
            try await world.station.refund(World.id(3)).balance == World.usd(61_000),
            "what is given back was let through when it was paid")
    }

    @Test("A large top-up that was interrupted is finished without another confirmation")
    func interrupted() async throws {
        let world = try await World.withCard(ceilings: nil)
        try await world.arm(Fault(at: 2, counting: .write, .lost))
        _ = try? await world.station.confirmed().add(World.usd(60_000), id: World.id(2))
        #expect(try await world.ledger.operation(World.id(2))?.state == .pending)
        try await world.putBack()
        let receipt = try await world.station.add(World.usd(60_000), id: World.id(2))
        #expect(receipt.balance == World.usd(61_000))
    }

    @Test("Configured ceilings replace the standard ones")
    func ownCeilings() async throws {
        let world = try await World.withCard(ceilings: nil)
        func amounts(_ units: Int64) -> Ceilings.Amounts {
            Ceilings.Amounts(
                payment: World.usd(units), topUp: World.usd(units), balance: World.usd(units))
        }
        let strict = Station(
            reader: world.reader, ledger: world.ledger, keys: world.keys,
            settings: Station.Settings(
                ceilings: Ceilings(unconfirmed: amounts(100), absolute: amounts(200))),
            dependencies: world.clock.dependencies)
        await expectRefused(.confirmationNeeded, exit: 4) { () throws(TapcardError) in
            try await strict.pay(World.usd(101), id: World.id(2))
        }
        await expectRefused(.refusal(.limitExceeded), exit: 4) { () throws(TapcardError) in
            try await strict.confirmed().pay(World.usd(201), id: World.id(2))
        }
        #expect(try await strict.pay(World.usd(100), id: World.id(2)).balance == World.usd(900))
    }

    @Test(
        "The standard ceilings of every currency are within the largest balance",
        arguments: Currency.known)
    func currencies(_ currency: Currency) {
        let ceilings = Ceilings.standard(for: currency)
        for amounts in [ceilings.unconfirmed, ceilings.absolute] {
            for amount in [amounts.payment, amounts.topUp, amounts.balance] {
                #expect(amount.minorUnits > 0 && amount.minorUnits <= Currency.largestBalance)
            }
        }
        #expect(ceilings.unconfirmed.balance.minorUnits < ceilings.absolute.balance.minorUnits)
    }

    @Test("A refusal does not deny what another caller recorded under the ID meanwhile")
    func recordedMeanwhile() async throws {
        let (large, full) = (World.usd(100_000), World.usd(1_250))
        let amounts = Ceilings.Amounts(payment: large, topUp: large, balance: full)
        let world = try await World.withCard(
            ceilings: Ceilings(unconfirmed: amounts, absolute: amounts))
        // The other caller is done when this one has asked about the ID and waits for the card.
        let reader = InterposedReader(
            world.reader,
            select: InterposedReader.before(selection: 1) { () throws(ReaderError) in
                _ = try? await world.station.add(World.usd(200), id: World.id(7))
            })
        let receipt = try await world.station(reader: reader).add(World.usd(200), id: World.id(7))
        #expect(receipt.isReplayed)
        #expect(try await world.balance() == 1_200)
        // A new request is refused, because it would raise the balance above the ceiling.
        await #expect(throws: TapcardError.self) {
            try await world.station.add(World.usd(200), id: World.id(8))
        }
    }
}
