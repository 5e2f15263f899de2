import Ledger
import SimulatedReader
import TapcardCore
import TapcardDomain
import Testing

/// A tap resolves what an earlier one left open and is then interrupted itself.
@Suite("Interrupted resolving taps")
struct InterruptedResolvingTests {
    /// Tears a second tap at each WRITE, on a card whose record was written but not confirmed. The
    /// body returns whether the fault hit, because putting the card back disarms it.
    private func atEachWrite(
        first: (World) async -> Void,
        then body: (World, Fault.Kind, Int) async throws -> Bool
    ) async throws {
        for kind: Fault.Kind in [.pulledAfter, .lost, .torn(.new)] {
            var write = 1
            while true {
                let world = try await World.withCard()
                try await world.arm(Fault(at: 4, counting: .write, .pulledAfter))
                await first(world)
                try await world.putBack()
                try await world.arm(Fault(at: write, counting: .write, kind))
                guard try await body(world, kind, write) else { break }
                write += 1
            }
            #expect(write > 2)
        }
    }

    @Test("A payment is charged once, even if the tap that resolves it is interrupted")
    func chargedOnce() async throws {
        try await atEachWrite { world in
            _ = try? await world.station.pay(World.usd(250), id: World.id(2))
        } then: { world, kind, write in
            let label: Comment = "\(kind) at WRITE \(write)"
            var (number, retry, isHit) = (UInt64(3), OperationID?.none, Bool?.none)
            // The cashier repeats the command until it says what became of the payment.
            for _ in 0..<4 {
                let said = await outcome { () throws(TapcardError) in
                    try await world.station.pay(
                        World.usd(250), id: retry ?? World.id(number),
                        refusingIfJustResolved: retry == nil)
                }
                if isHit == nil { isHit = try await !world.isArmed() }
                try await world.putBack()
                switch said {
                case .success: break
                case .failure(let error) where error.kind == .justResolved: break
                case .failure(let error):
                    if error.result == .unknown {
                        #expect(error.operation == World.id(2), label)
                        retry = error.operation
                    }
                    number += 1
                    continue
                }
                break
            }
            #expect(try await world.balance() == 750, label)
            let payments = try await world.operations().filter { $0.kind == .pay }
            #expect(payments.filter { $0.state == .committed }.count == 1, label)
            return isHit == true
        }
    }

    @Test("Closing a card again returns the earlier closing that the tap resolved")
    func closed() async throws {
        try await atEachWrite { world in
            _ = try? await world.station.close(id: World.id(2))
        } then: { world, kind, write in
            let label: Comment = "\(kind) at WRITE \(write)"
            var said = await outcome { () throws(TapcardError) in
                try await world.station.close(id: World.id(3))
            }
            let isHit = try await !world.isArmed()
            if case .failure(let error) = said {
                #expect(error.result == .unknown && error.operation == World.id(2), label)
                try await world.putBack()
                said = await outcome { () throws(TapcardError) in
                    try await world.station.close(id: World.id(2))
                }
            }
            guard case .success(let receipt) = said else {
                Issue.record("\(label): \(said)")
                return false
            }
            #expect(receipt.operation.id == World.id(2), label)
            #expect(receipt.amount == World.usd(-1_000), label)
            return isHit
        }
    }
}
