import FaultyWorld

/// Two stations' schedule as one number: the highest bit, 7 bits for the script, 1 for the
/// readers, 2 for how many turns there are, 7 for each of three, 15 for the fault.
extension Duel {
    private static let mark: UInt64 = 1 << 63
    static let mostTurns = 3

    var number: UInt64 {
        var number = Duel.mark | UInt64(place) | (areReadersCareless ? 1 << 7 : 0)
        number |= UInt64(turns.count) << 8
        for (row, turn) in turns.enumerated() {
            number |= UInt64(turn.steps << 1 | (turn.movesCard ? 1 : 0)) << UInt64(10 + 7 * row)
        }
        if let fault, let mishap = Mishap.places[fault.mishap] {
            number |= UInt64(1 << 15 | fault.step << 8 | mishap) << 31
        }
        return number
    }

    /// Nil where the number is none of two stations.
    init?(number: UInt64) {
        let turnCount = Int(number >> 8 & 3)
        let fault = Int(number >> 31 & 0xFFFF)
        guard number & Duel.mark != 0, fault & 0xFF < Mishap.table.count else { return nil }
        place = Int(number & 0x7F)
        areReadersCareless = number >> 7 & 1 == 1
        turns = (0..<turnCount).map { row in
            let field = Int(number >> UInt64(10 + 7 * row) & 0x7F)
            return Turn(steps: field >> 1, movesCard: field & 1 == 1)
        }
        self.fault =
            fault == 0
            ? nil : Fault(step: fault >> 8 & 0x7F, mishap: Mishap.table[fault & 0xFF])
    }

    /// How long it is to tell.
    var length: Int { (fault == nil ? 0 : 1_000) + turns.reduce(turns.count) { $0 + $1.steps } }
}
