import Glibc

// "payments ADDRESS COUNT": for stations.py, which compares ledgers of different sizes.
if CommandLine.arguments.count == 4, CommandLine.arguments[1] == "payments",
    let count = Int(CommandLine.arguments[3])
{
    let pace = try await StationCosts.pay(count, in: CommandLine.arguments[2])
    print(pace.processor, pace.median)
    exit(0)
}
// "round STATIONS": for tills.py, which compares whole payments with those of the ledger and of C.
if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "round",
    let stations = Int(CommandLine.arguments[2])
{
    let round = try await StationCosts.round(of: stations)
    print(round.swift.paymentsASecond, round.c.paymentsASecond)
    exit(0)
}

print("Payments at stations of one ledger in PostgreSQL, each next to a client in C that sends the")
print("same statements (two looks, begun, confirmed). Times in milliseconds, for a payment.")
print("\nOne server on this machine, which syncs to its disk:\n")
show(try await StationCosts.measure())
print("\nThe same with a synchronous replica, whose answer takes 4 ms:\n")
show(try await StationCosts.measure(replicaAwayBy: 4))

func show(_ rounds: [StationCosts.Round]) {
    print("stations  a second    in C  ratio  median    in C  99 of 100    in C  processor    in C")
    for round in rounds {
        let columns = [
            (Double(round.stations), 0, 8), (round.swift.paymentsASecond, 0, 10),
            (round.c.paymentsASecond, 0, 8), (round.ratio, 2, 7), (round.swift.median, 2, 8),
            (round.c.median, 2, 8), (round.swift.slowest, 2, 11), (round.c.slowest, 2, 8),
            (round.swift.processor, 3, 11), (round.c.processor, 3, 8),
        ]
        print(columns.map { StationCosts.text($0.0, $0.1, width: $0.2) }.joined())
    }
}
