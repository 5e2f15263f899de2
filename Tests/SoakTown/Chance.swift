import BlockingLane

/// All chance of a town, from its seed: the same draws in the same order, everywhere.
final class Chance: Sendable {
    private let state: Guarded<UInt64>

    init(_ seed: UInt64) { state = Guarded(seed) }

    /// SplitMix64.
    func next() -> UInt64 {
        state.withLock { state in
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return mixed ^ mixed >> 31
        }
    }

    func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// Whether something happens that happens so many times in a hundred.
    func percent(_ share: Int) -> Bool { below(100) < share }

    func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(below(256)) } }

    func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    /// One of these, each as often as its weight says.
    func pick<Element>(weighted elements: [(Int, Element)]) -> Element {
        var left = below(elements.reduce(0) { $0 + $1.0 })
        for (weight, element) in elements {
            if left < weight { return element }
            left -= weight
        }
        preconditionFailure("the weights were added up wrongly")
    }
}
