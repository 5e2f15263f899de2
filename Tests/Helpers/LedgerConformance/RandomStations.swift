public import Ledger
public import TapcardDomain
import TestSupport

/// Stations that make requests in an order that a seed decides. The next request depends on the
/// answers, so two ledgers with the same answers get the same requests.
public struct RandomStations: Sendable {
    /// So few that cards sometimes share a code, as copies do.
    public static let fewCodes = 30
    private static let cards = (1...6).map { CardUID.numbered($0) }
    private var random: SeededGenerator
    private let codes: Int
    private var clock = 0
    /// Who makes the requests at each station.
    private static let requesters = [
        Requester(.ann), Requester(), Requester(.bob, till: try? TillName("Bar 1")),
    ]
    /// The version of each card that each station last saw; often it is out of date.
    private var memories: [[CardUID: CardVersion]]
    /// The operation that is half done on a reader.
    private var opened: [OpenOperation?]
    /// Each station's last request, whose answer it may not have received.
    private var requests: [Request?]
    private var payments: [CardUID: OperationID] = [:]
    private var sold: [CardUID: TicketID] = [:]
    private var attempts: [OperationID] = []

    /// Their ids and times begin after `first`. `codes` is the number of codes to draw from.
    public init(
        seed: UInt64, stations: Int = 3, after first: Int = 0, codes: Int = fewCodes
    ) {
        self.codes = codes
        random = SeededGenerator(seed: seed)
        clock = first
        memories = Array(repeating: [:], count: stations)
        opened = Array(repeating: nil, count: stations)
        requests = Array(repeating: nil, count: stations)
    }

    /// The next request of one station.
    public mutating func next(
        looking knownCard: (CardUID) async throws -> KnownCard?
    ) async throws -> Step {
        clock += 1
        let station = random.below(opened.count)
        let uid = Self.cards[random.below(Self.cards.count)]
        let known = try await knownCard(uid)
        let version = chance(85) ? known.map(CardVersion.init) : memories[station][uid]
        memories[station][uid] = known.map(CardVersion.init)
        if let open = opened[station], chance(70) {
            opened[station] = nil
            return .confirm(open, station: station, at: .tick(clock))
        }
        if let open = known?.open, chance(80) { return resolve(open, station, version) }
        switch random.below(100) {
        case 0..<4:
            let change = [StatusChange.block, .unblock, .forget][random.below(3)]
            return .change(uid, change, id: id(), at: .tick(clock))
        case 4..<7: return .markDisplay(uid, stale: chance(50))
        case 8..<12:
            return .requestActivation(
                uid, id: id(), version: version ?? CardVersion(confirmed: .none, open: nil),
                at: .tick(clock))
        case 12..<15:
            let asked = attempts.isEmpty ? id() : attempts[random.below(attempts.count)]
            return .recordActivation(
                asked, rejectedBy: chance(40) ? "6.1" : nil, at: .tick(clock))
        case 15..<18:
            return .payOut(
                amount(), of: ticket(on: uid), on: uid, id: id(), at: .tick(clock))
        case 18..<21: return .book(payment(on: uid, station), at: .tick(clock))
        case 7:
            // The third one is never used for sealing, and the second seldom.
            if chance(10) { return .retire(chance(70) ? 3 : 2, at: .tick(clock)) }
            return chance(20) ? .skipNumbers : .voidOpen(uid, at: .tick(clock))
        default:
            if let repeated = requests[station], chance(5) {
                return .begin(repeated, version: version, key: key(), station: station)
            }
            let action = known == nil && chance(75) ? make(on: uid) : action(on: uid)
            let attempt = action == .activate && chance(80) ? known?.activation?.id : nil
            let request = Request(
                id: attempt ?? id(), uid: uid, action: action,
                by: Self.requesters[station % Self.requesters.count], at: .tick(clock))
            requests[station] = request
            return .begin(request, version: version, key: key(), station: station)
        }
    }

    /// Notes what the station learns from the answer.
    public mutating func note(_ answer: Answer, to step: Step) {
        if case .asked(.attempt(let attempt)) = answer { attempts.append(attempt.id) }
        guard let station = step.station else { return }
        switch answer {
        case .beginning(.begun(let open)), .resolution(.open(let open)): opened[station] = open
        case .confirmation(.committed(let operation)) where operation.kind == .pay:
            payments[operation.uid] = operation.id
        case .confirmation(.committed(let operation)) where operation.kind == .ticket:
            sold[operation.uid] = operation.ticketID
        default: break
        }
    }

    private mutating func resolve(
        _ open: Operation, _ station: Int, _ version: CardVersion?
    ) -> Step {
        let version = version ?? CardVersion(confirmed: .none, open: nil)
        if chance(50) {
            let best = SequenceNumber(open.sequence.value &- 1 &+ UInt32(random.below(3))) ?? .none
            return .resume(
                open, version: version, best: best, key: key(), station: station, at: .tick(clock))
        }
        let state: Operation.State = chance(50) ? .committed : .voided
        return .end(
            open, state, id: id(), version: version, key: key(), station: station, at: .tick(clock))
    }

    private mutating func action(on uid: CardUID) -> CardAction {
        switch random.below(33) {
        case 0..<8: .pay(amount())
        case 8..<11: .add(amount())
        case 11..<14:
            .refund(of: payment(on: uid), chance(50) ? nil : amount())
        case 14, 31: .scratch(.numbered(random.below(codes)))
        case 15, 30: .activate
        case 16: chance(30) ? .close : .reseal(above: .none)
        case 17: .reseal(above: .none)
        case 18, 19: .protect(keyID: UInt8(random.below(16)))
        case 20: .unprotect
        case 21..<24: .ticket(.sample(chance(95) ? clock : random.below(clock)), amount())
        case 24..<29: .claim(ticket(on: uid), amount())
        case 29: .game(chance(70) ? .sample : nil)
        default: make(on: uid)
        }
    }

    private mutating func make(on uid: CardUID) -> CardAction {
        let origin: CardPlan.Origin
        switch random.below(4) {
        case 0: origin = .adopt(message: [1, 2, UInt8(random.below(200))])
        case 1: origin = .replace(lost: Self.cards[random.below(Self.cards.count)])
        default: origin = .issue
        }
        return .make(
            .sample(
                origin, balance: amount().minorUnits,
                scratch: chance(50) ? .unscratched : .none, mayReissue: chance(60),
                above: SequenceNumber(UInt32(random.below(300))) ?? .none))
    }

    /// A line of the station's journal, sometimes a repeated one.
    private mutating func payment(on uid: CardUID, _ station: Int) -> OfflinePayment {
        OfflinePayment(
            id: id(), uid: uid, chip: .ntag215,
            account: 1 + random.below(2),
            sequence: SequenceNumber(UInt32(random.below(9))) ?? .none,
            amount: Int64(1 + random.below(900)), by: Self.requesters[station % 3],
            at: .tick(clock - random.below(3)), journal: .numbered(20_000_000 + station),
            number: Int64(chance(90) ? clock : random.below(clock) + 1))
    }

    /// Usually the card's last payment, sometimes any operation.
    private mutating func payment(on uid: CardUID) -> OperationID {
        let any = OperationID.numbered(1 + random.below(clock))
        return chance(80) ? payments[uid] ?? any : any
    }

    private mutating func ticket(on uid: CardUID) -> TicketID {
        let any = Ticket.sample(random.below(clock)).id
        return chance(95) ? sold[uid] ?? any : any
    }

    /// Usually a small amount, sometimes more than anybody has.
    private mutating func amount() -> Money {
        .cents(Int64(chance(90) ? random.below(800) : random.below(200_000_000)))
    }

    /// Usually a new id, sometimes one that was used before, perhaps for something else.
    private mutating func id() -> OperationID {
        .numbered(chance(92) ? clock : 1 + random.below(clock))
    }

    private mutating func key() -> UInt8 { chance(95) ? 1 : 2 }
    private mutating func chance(_ percent: Int) -> Bool { random.below(100) < percent }
}
