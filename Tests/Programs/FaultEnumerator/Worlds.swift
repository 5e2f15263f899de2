import FaultyWorld

/// The schedules that led to a world.
struct Arrival {
    /// The shortest schedule.
    private(set) var number: ScheduleNumber
    /// How many schedules there are, by the number of their faults.
    private(set) var counts: [Int]
    /// The earlier images of the tag, each with a schedule that led to it.
    private(set) var images: [Int: ScheduleNumber] = [:]

    init(number: ScheduleNumber, counts: [Int]) {
        self.number = number
        self.counts = counts
    }

    mutating func remember(_ image: Int) {
        if images[image].map({ number.isShorter(than: $0) }) ?? true { images[image] = number }
    }

    mutating func join(_ other: Arrival) {
        if other.number.isShorter(than: number) { number = other.number }
        for (faults, count) in other.counts.enumerated() { counts[faults] += count }
        images.merge(other.images) { $1.isShorter(than: $0) ? $1 : $0 }
    }

    /// The arrival after one more tap.
    func following(_ outcome: Play.Outcome) -> Arrival {
        let more = outcome.faults.count
        var next = self
        next.number = number.adding(outcome.faults)
        next.images = images.compactMapValues { image in
            image.faultCount + more < counts.count ? image.adding(outcome.faults) : nil
        }
        for faults in counts.indices {
            next.counts[faults] = faults < more ? 0 : counts[faults - more] * outcome.copies
        }
        return next
    }

    func behind(gap: Int, after tap: Int) -> Arrival {
        var next = self
        next.number = number.adding(gap, behind: tap)
        next.images = images.mapValues { $0.adding(gap, behind: tap) }
        return next
    }
}

extension ScheduleNumber {
    func adding(_ faults: [PlacedFault]) -> ScheduleNumber {
        faults.reduce(self) { $0.adding($1) }
    }
}

/// Different worlds, each with the schedules that led to it.
struct Worlds {
    struct Node {
        let world: RestingWorld
        var arrival: Arrival
    }

    private(set) var nodes: [Node] = []
    private var places: [RestingWorld: Int] = [:]

    mutating func add(_ world: RestingWorld, _ arrival: Arrival) {
        if let place = places[world] {
            nodes[place].arrival.join(arrival)
        } else {
            places[world] = nodes.count
            nodes.append(Node(world: world, arrival: arrival))
        }
    }
}
