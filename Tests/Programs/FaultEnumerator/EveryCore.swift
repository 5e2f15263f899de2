import BlockingLane
import Glibc

/// Does the work for all of these items, one on each core at a time. The results are in the order in
/// which they were ready.
func onEveryCore<Item: Sendable, Outcome: Sendable>(
    _ items: [Item], _ work: @escaping @Sendable (Item) async -> Outcome
) async -> [Outcome] {
    let next = Guarded(0)
    return await withTaskGroup(of: [Outcome].self) { group in
        for _ in 0..<max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) {
            group.addTask {
                var outcomes: [Outcome] = []
                while let item = next.withLock({ place -> Item? in
                    place += 1
                    return place <= items.count ? items[place - 1] : nil
                }) {
                    outcomes.append(await work(item))
                }
                return outcomes
            }
        }
        return await group.reduce(into: []) { $0 += $1 }
    }
}
