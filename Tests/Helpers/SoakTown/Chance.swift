import BlockingLane
import TestSupport

/// All randomness of a town, from its seed: the same draws in the same order everywhere.
final class Chance: Sendable {
    private let generator: Guarded<SeededGenerator>

    init(_ seed: UInt64) { generator = Guarded(SeededGenerator(seed: seed)) }

    func next() -> UInt64 { generator.withLock { $0.next() } }

    func below(_ bound: Int) -> Int { generator.withLock { $0.below(bound) } }

    /// Whether something with this probability in percent happens.
    func percent(_ share: Int) -> Bool { below(100) < share }

    func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(below(256)) } }

    func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    /// One of these, chosen by weight.
    func pick<Element>(weighted elements: [(Int, Element)]) -> Element {
        var left = below(elements.reduce(0) { $0 + $1.0 })
        for (weight, element) in elements {
            if left < weight { return element }
            left -= weight
        }
        preconditionFailure("the weights were added up wrongly")
    }
}
