public import Ledger
public import TapcardDomain

extension CardUID {
    public static let first = numbered(1)
    public static let second = numbered(2)

    public static func numbered(_ number: UInt8) -> CardUID {
        guard let uid = CardUID(bytes: [0x04, 0xAC, 0x6B, 0x72, 0xBA, 0x6C, number]) else {
            preconditionFailure("seven bytes make a card's number")
        }
        return uid
    }
}

extension UniqueID {
    public static func numbered(_ number: Int) -> UniqueID {
        let digits = (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        guard let id = UniqueID(bytes: [UInt8](repeating: 0xA0, count: 8) + digits.reversed())
        else { preconditionFailure("sixteen bytes make an id") }
        return id
    }
}

extension Timestamp {
    /// The time at which the operation with this number begins.
    public static func tick(_ number: Int) -> Timestamp {
        Timestamp(milliseconds: 1_700_000_000_000 + Int64(number))
    }

    /// A time after all of them.
    public static let end = tick(1_000_000)
}

extension Money {
    public static func cents(_ units: Int64) -> Money { Money(minorUnits: units, .usd) }
}

extension Holder {
    public static var amanda: Holder {
        Holder(id: try? HolderID(1), name: try? HolderName("Amanda González"))
    }
}

extension CashierName {
    public static let ann = named("Ann")
    public static let bob = named("Bob")

    private static func named(_ text: String) -> CashierName {
        guard let name = try? CashierName(text) else {
            preconditionFailure("\(text) is a name")
        }
        return name
    }
}

extension CardPlan {
    /// A card as a till makes it.
    public static func sample(
        _ origin: Origin = .issue, balance: Int64 = 1000, scratch: ScratchCard = .unscratched,
        protection: CardProtection = .off, parameters: String = "", mayReissue: Bool = false,
        above: SequenceNumber = .none
    ) -> CardPlan {
        CardPlan(
            origin: origin, chip: .ntag215, isGenuineChip: true, holder: .amanda,
            scratch: scratch, face: .tapcard, protection: protection, balance: .cents(balance),
            parameters: parameters, mayReissue: mayReissue, above: above)
    }
}

extension CardAction {
    public static func issue(_ balance: Int64 = 1000) -> CardAction {
        .make(.sample(balance: balance))
    }

    public static func reissue(_ balance: Int64 = 500) -> CardAction {
        .make(.sample(balance: balance, mayReissue: true))
    }
}

extension Ticket {
    public static func sample(_ number: Int = 1, draw: Int = 1) -> Ticket {
        guard let id = TicketID("ticket-\(number)"), let draw = DrawID("draw-\(draw)"),
            let balls = Balls(stored: [2, 16, 23, 44, 47, 52], bonus: 14)
        else { preconditionFailure("the names and the balls are good ones") }
        return Ticket(id: id, draw: draw, balls: balls)
    }
}

extension MastermindGame? {
    public static var sample: MastermindGame? {
        MastermindGameID("0123456789abcdef0123456789abcdef").map {
            MastermindGame(id: $0, slots: 4)
        }
    }
}

extension RecordSealer {
    /// Sixteen bytes that depend on the key and on everything that is sealed (FNV-1a, twice).
    public static func hashing(key: UInt8) -> RecordSealer {
        RecordSealer(
            keyID: key,
            seal: { content in
                var text = Array("\(content.uid) \(content.sequence) \(content.balance)".utf8)
                text += Array("\(content.holder) \(content.scratch)".utf8)
                var left: UInt64 = 0xCBF2_9CE4_8422_2325
                var right: UInt64 = ~left
                for byte in text {
                    left = (left ^ UInt64(byte)) &* 0x100_0000_01B3
                    right = (right &+ UInt64(byte)) &* 0x100_0000_01B3
                }
                let halves = [left, right].flatMap { half in
                    (0..<8).map { UInt8(truncatingIfNeeded: half >> ($0 * 8)) }
                }
                return [key] + halves.dropFirst()
            })
    }
}

extension Operation {
    /// A row that follows no rule.
    public static func sample(
        _ number: Int, _ state: State = .committed, reverses: Int? = nil
    ) -> Operation {
        Operation(
            id: .numbered(number), uid: .first, kind: .reseal,
            reverses: reverses.map(OperationID.numbered), beganAt: .tick(number), state: state,
            endedAt: state == .pending ? nil : .end)
    }
}

extension Entry {
    /// Half of a booking, without the other half.
    public static func sample(_ operation: Int, _ account: Account, _ amount: Int64) -> Entry {
        Entry(operation: .numbered(operation), account: account, amount: amount, postedAt: .end)
    }
}
