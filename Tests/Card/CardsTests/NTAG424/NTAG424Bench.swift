import CardCryptography
import Cards
import Tags
import TapcardDomain
import Testing

/// A chip in the field, with faults on the way to it and back.
struct NTAG424Bench {
    enum Fault: CaseIterable { case lostBefore, lostAfter, pulled }

    static let uid = NTAG424Memory.signedExample.uid
    var memory = NTAG424Memory.signedExample
    var side = NTAG424Side()
    var commands: [[UInt8]] = []
    private var drawn: UInt8 = 0

    static func random(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + 3) }
    }

    static func masters(_ id: UInt8) -> CardKeys {
        CardKeys(
            macMaster: [UInt8](repeating: id &+ 9, count: CardKeys.masterSize),
            passwordMaster: random(CardKeys.masterSize), keyID: id)
    }

    static func keys(_ masters: CardKeys) -> NTAG424CardKeys { NTAG424CardKeys(masters, uid: uid) }

    static func selling(_ masters: CardKeys) -> SellingKey {
        SellingKey(of: uid, from: masters, .usd)
    }

    /// The sealed record with this number and balance.
    static func record(
        _ number: UInt32, _ balance: Int64, _ masters: CardKeys
    ) throws -> [UInt8] {
        let sequence = try #require(SequenceNumber(number))
        let record = SealedRecord(
            uid: uid, sequence: sequence, balance: Money(minorUnits: balance, .usd),
            state: .noScratchCard, holder: .nobody, keyID: masters.keyID,
            cardKey: masters.cardKey(uid: uid.bytes))
        return try #require(record).bytes
    }

    static func flipping(_ bit: Int, in bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        bytes[bit / 8] ^= 1 << (bit % 8)
        return bytes
    }

    /// Runs a procedure in a new tap, in which one exchange may fail.
    mutating func run<Procedure: NTAG424Procedure>(
        _ procedure: Procedure, from start: NTAG424Side? = nil, at place: Int = -1,
        _ fault: Fault = .lostBefore, alter: (Int, [UInt8]) -> [UInt8] = { $1 },
        send altered: (Int, [UInt8]) -> [UInt8] = { $1 }
    ) throws -> Procedure.Outcome {
        side = start ?? NTAG424Side()
        commands = []
        var procedure = procedure
        var event = NTAG424Event.begin
        while true {
            switch procedure.next(after: event) {
            case .finish(let outcome): return outcome
            case .fail(let error): throw error
            case .send(let command):
                let isFaulty = commands.count == place
                commands.append(command)
                if isFaulty, fault == .lostBefore {
                    event = .failure(.timedOut)
                    continue
                }
                let before = memory
                let answer = send(altered(commands.count - 1, command))
                if isFaulty, fault == .pulled {
                    memory = .torn(from: before, to: memory, at: 1, isChained: false)
                }
                event =
                    isFaulty
                    ? .failure(.tagLost) : .answer(alter(commands.count - 1, answer))
            }
        }
    }

    mutating func send(_ command: [UInt8]) -> [UInt8] {
        var next = drawn
        defer { drawn = next }
        return side.answer(command, &memory) { count in
            (0..<count).map { _ in
                next = next &* 31 &+ 7
                return next
            }
        }
    }
}
