import FaultyWorld

/// The schedule of two stations as one number: 6 bits for the script, 1 that is never set for one
/// station, 1 for the readers, 2 for the number of turns, 8 for each of three turns, 17 for the
/// fault, 1 for what the second station does, 3 for what was open before, 1 more for the second
/// station, and 1 more for the script.
extension Duel {
    private static let mark: UInt64 = 1 << 6
    private static let (firstTurn, turnBits, firstFault, second) = (10, 8, 34, 51)
    private static let (firstOpening, secondOfSecond, highScripts, end) = (52, 55, 56, 57)
    package static let maximumTurns = 3
    /// The most steps of a turn, and of both stations up to a fault, that fit into a number.
    package static let mostTurnSteps = 127
    package static let mostFaultSteps = 256

    package var number: UInt64 {
        var number = Duel.mark | UInt64(place & 0x3F) | (areReadersCareless ? 1 << 7 : 0)
        number |= UInt64(place >> 6) << UInt64(Duel.highScripts)
        number |= UInt64(turns.count) << 8
        for (row, turn) in turns.enumerated() {
            let field = UInt64(turn.steps << 1 | (turn.movesCard ? 1 : 0))
            number |= field << UInt64(Duel.firstTurn + Duel.turnBits * row)
        }
        if let fault, let mishap = Mishap.places[fault.mishap] {
            number |= UInt64(1 << 16 | fault.step << 8 | mishap) << UInt64(Duel.firstFault)
        }
        number |= UInt64(opening.rawValue) << UInt64(Duel.firstOpening)
        number |= UInt64(second.rawValue & 1) << UInt64(Duel.second)
        return number | UInt64(second.rawValue >> 1) << UInt64(Duel.secondOfSecond)
    }

    /// Nil if the number is not a schedule of two stations.
    package init?(number: UInt64) {
        let turnCount = Int(number >> 8 & 3)
        let fault = Int(number >> UInt64(Duel.firstFault) & 0x1_FFFF)
        guard number & Duel.mark != 0, number >> UInt64(Duel.end) == 0,
            fault & 0xFF < Mishap.table.count,
            let opening = Opening(rawValue: Int(number >> UInt64(Duel.firstOpening) & 7)),
            let second = Second(
                rawValue: Int(number >> UInt64(Duel.second) & 1)
                    | Int(number >> UInt64(Duel.secondOfSecond) & 1) << 1)
        else { return nil }
        place = Int(number & 0x3F | (number >> UInt64(Duel.highScripts)) << 6)
        areReadersCareless = number >> 7 & 1 == 1
        self.second = second
        self.opening = opening
        turns = (0..<turnCount).map { row in
            let field = Int(number >> UInt64(Duel.firstTurn + Duel.turnBits * row) & 0xFF)
            return Turn(steps: field >> 1, movesCard: field & 1 == 1)
        }
        self.fault =
            fault == 0
            ? nil : Fault(step: fault >> 8 & 0xFF, mishap: Mishap.table[fault & 0xFF])
    }

    /// The length by which the shortest of several schedules is chosen.
    var length: Int { (fault == nil ? 0 : 1_000) + turns.reduce(turns.count) { $0 + $1.steps } }
}
