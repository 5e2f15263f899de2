import Foundation
import SimulatedReader
import TapcardCore

let simulated = SimulatedReader(.fresh)
let reader = CountingReader(simulated)
let station = Station(
    reader: reader,
    ledger: InMemoryLedger(currency: .usd),
    keys: .fresh(created: "2026-11-25"),
    dependencies: Station.Dependencies(
        now: { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) },
        sleep: { try await Task.sleep(for: $0) }))

let card = try await station.make(.demo(in: .usd), id: station.newID())
_ = try await station.add(Money(parsing: "20", .usd), id: station.newID())
let before = await reader.writes
print("the card has $20.00; \(before) pages were written")

// The card loses its power in the middle of the next page that is written.
try await simulated.change { $0.fault = Fault(at: 1, counting: .write, .torn(.zero)) }

let price = try Money(parsing: "4.50", .usd)
let id = station.newID()
do {
    _ = try await station.pay(price, id: id)
    print("paid")
} catch {
    print(error.result == .unknown ? "unknown: tap again" : "not paid: \(error)")
}

// The customer holds the card to the reader again, and the program asks again with the same id.
try await simulated.change { $0.put([card.uid.bytes]) }
let receipt = try await station.pay(price, id: id)
print("paid once; \(receipt.balance.shown) left")

let same = try await station.pay(price, id: id)
print("asked a third time: \(same.balance.shown) left")
