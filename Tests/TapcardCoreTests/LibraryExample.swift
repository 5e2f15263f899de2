import CardCryptography
import Ledger
import SimulatedField
import SimulatedReader
import TapcardCore
import TapcardDomain
import Testing

/// The example of docs/LIBRARY.md. It stands there word for word, which a test checks, so that
/// what people read is what compiles and runs.
enum LibraryExample {
    static func run() async throws -> Receipt {
        let station = Station(
            reader: SimulatedReader(.fresh),
            ledger: InMemoryLedger(currency: .usd),
            keys: .fresh(created: "2026-11-21"),
            surroundings: Station.Surroundings(
                now: { Timestamp(milliseconds: 1_795_000_000_000) },
                sleep: { try await Task.sleep(for: $0) }))

        let card = try await station.make(.demo(in: .usd), id: station.newID())
        print("\(card.uid) belongs to \(card.holder.name?.text ?? "nobody")")

        _ = try await station.add(Money(parsing: "20", .usd), id: station.newID())
        let price = try Money(parsing: "4.50", .usd)
        do {
            let receipt = try await station.pay(price, id: station.newID())
            print("paid; \(receipt.balance.shown) left")
            return receipt
        } catch {
            if error.result == .unknown { print("tap again: \(error)") }
            throw error
        }
    }
}

@Suite("The example of the documentation")
struct LibraryExampleTests {
    @Test("does what it says")
    func runs() async throws {
        #expect(try await LibraryExample.run().balance.description == "15.50")
    }
}
