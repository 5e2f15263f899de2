let rounds = try await StationCosts.measure()
print(
    "Payments at stations of one ledger in PostgreSQL, each next to a client in C with the same bytes"
)
print("(two looks, begun, confirmed; times are those of a payment; the server is on this machine")
print("and syncs nothing)\n")
print("stations  a second    in C  ratio  median, ms   in C  99 of 100, ms    in C")
for round in rounds {
    let columns = [
        (Double(round.stations), 0, 8), (round.swift.paymentsASecond, 0, 10),
        (round.c.paymentsASecond, 0, 8), (round.ratio, 2, 7), (round.swift.median, 2, 12),
        (round.c.median, 2, 7), (round.swift.slowest, 2, 15), (round.c.slowest, 2, 8),
    ]
    print(columns.map { StationCosts.text($0.0, $0.1, width: $0.2) }.joined())
}
