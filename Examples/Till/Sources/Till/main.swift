import Foundation
import SimulatedReader
import TapcardCore

let station = Station(
    reader: SimulatedReader(.fresh),
    ledger: InMemoryLedger(currency: .usd),
    keys: .fresh(created: "2026-11-22"),
    dependencies: Station.Dependencies(
        now: { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) },
        sleep: { try await Task.sleep(for: $0) }))

let card = try await station.make(.demo(in: .usd), id: station.newID())
print("\(card.uid) belongs to \(card.holder.name?.text ?? "nobody")")

_ = try await station.add(Money(parsing: "20", .usd), id: station.newID())
let price = try Money(parsing: "4.50", .usd)
do {
    let receipt = try await station.pay(price, id: station.newID())
    print("paid; \(receipt.balance.shown) left")
} catch {
    if error.result == .unknown { print("tap again: \(error)") }
    throw error
}
