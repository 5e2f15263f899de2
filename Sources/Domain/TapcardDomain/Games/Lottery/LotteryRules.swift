/// The rules of a lottery: how many balls are drawn, and out of how many. Every draw also has one
/// bonus ball.
public struct LotteryRules: Hashable, Sendable {
    /// The number of balls, not counting the bonus ball.
    public let ballCount: Int
    /// The highest number on a ball; balls are numbered from 1.
    public let highest: Int

    /// Six balls out of 59, plus a bonus ball.
    public static let standard = LotteryRules(unchecked: 6, of: 59)

    /// The maximum number of balls. A tag and a screen have no room for more.
    public static let maximumBalls = 20
    static let maximumNumber = 999

    /// Creates the rules of a lottery. Refuses numbers that are impossible or too high.
    public init(ballCount: Int, highest: Int) throws(Refusal) {
        // The bonus ball comes from the same set, so the set needs at least one more ball.
        guard (1...LotteryRules.maximumBalls).contains(ballCount),
            highest <= LotteryRules.maximumNumber, highest > ballCount
        else {
            throw Refusal(
                .badBalls,
                "\(ballCount) balls out of \(highest) plus a bonus ball is not possible; choose 1 "
                    + "to \(LotteryRules.maximumBalls) balls from a larger set of up to "
                    + "\(LotteryRules.maximumNumber) numbers"
            )
        }
        self.init(unchecked: ballCount, of: highest)
    }

    private init(unchecked ballCount: Int, of highest: Int) {
        (self.ballCount, self.highest) = (ballCount, highest)
    }
}

/// Balls that were drawn or bet on. No number appears twice.
public struct Balls: Hashable, Sendable {
    /// The balls, in the order given.
    public let numbers: [Int]
    /// The bonus ball.
    public let bonus: Int

    /// Creates balls. Refuses numbers that the rules do not allow.
    public init(
        _ numbers: [Int], bonus: Int, under rules: LotteryRules = .standard
    ) throws(Refusal) {
        guard numbers.count == rules.ballCount else {
            throw Refusal(.badBalls, "\(numbers.count) balls instead of \(rules.ballCount)")
        }
        var seen: Set<Int> = []
        for number in numbers + [bonus] {
            guard (1...rules.highest).contains(number) else {
                throw Refusal(.badBalls, "ball \(number) is not in the range 1 to \(rules.highest)")
            }
            guard seen.insert(number).inserted else {
                throw Refusal(.badBalls, "ball \(number) is listed twice")
            }
        }
        (self.numbers, self.bonus) = (numbers, bonus)
    }

    /// Restores balls from storage; `nil` if no rules allow them.
    public init?(stored numbers: [Int], bonus: Int) {
        // The rules at the time of the draw or bet are unknown, so the widest range is allowed.
        guard
            let rules = try? LotteryRules(
                ballCount: numbers.count, highest: LotteryRules.maximumNumber),
            let balls = try? Balls(numbers, bonus: bonus, under: rules)
        else { return nil }
        self = balls
    }

    /// Draws balls at random and sorts them in ascending order, except for the bonus ball. `random`
    /// returns a number from 0 up to, but not including, its argument.
    public static func drawn(
        under rules: LotteryRules, random: (Int) -> Int
    ) throws(Refusal) -> Balls {
        var pool = Array(1...rules.highest)
        var drawn: [Int] = []
        // One extra ball is drawn from the same pool, to become the bonus ball.
        for _ in 0...rules.ballCount { drawn.append(pool.remove(at: random(pool.count))) }
        let bonus = drawn.removeLast()
        return try Balls(drawn.sorted(), bonus: bonus, under: rules)
    }
}
