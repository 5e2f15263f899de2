import TapcardCore
import TapcardDomain

/// An armed sale with events in every order: two pages arm and change, cards come, go, and flicker,
/// readers and pages leave, and time passes. What happened is recorded apart from the till's rules,
/// and each payment is checked against it.
package enum ArmingStories {
    package static let length = 5

    enum Event: CaseIterable {
        case arm, armOther, change, pageLeaves, putOne, putOther, several, lift, flicker
        case loseReader, refuse
        /// The request to arm a sale is sent now, and arrives later.
        case armLate, armLateArrives
        case waitShort, waitLong, waitExpiry
    }

    /// The first failure, or nil if there is none, and how many stories and payments there were.
    package static func play(
        length: Int = length
    ) -> (finding: String?, stories: Int, payments: Int) {
        var (stories, payments) = (0, 0)
        func goOn(_ till: Till, _ story: [Event]) -> String? {
            stories += 1
            payments += till.hasPaid ? 1 : 0
            if let fault = till.fault { return "\(fault): \(story)" }
            guard story.count < length else { return nil }
            for event in Event.allCases {
                var next = till
                guard next.take(event) else { continue }
                if let finding = goOn(next, story + [event]) { return finding }
            }
            return nil
        }
        return (goOn(Till(), []), stories, payments)
    }

    /// The till, and what really happened.
    struct Till {
        private static let ids = ["0b9f1f6e", "1b9f1f6e", "2b9f1f6e", "3b9f1f6e", "4b9f1f6e"]
            .compactMap { OperationID("\($0)-5a3c-4d2e-9f10-1a2b3c4d5e6f") }
        private static let page = ids[0]
        private static let otherPage = ids[1]

        private(set) var fault: String?
        private(set) var hasPaid = false
        private var arming = Arming()
        private var now = Duration.seconds(100)
        private var card: Int?
        /// Since when the reader has been seen empty; nil if it has not.
        private var emptySince: Duration?
        private var armedAt: [OperationID: Duration] = [:]
        private var isValid: OperationID?
        private var owner: OperationID?
        private var used = 0
        private var late: OperationID?
        private var changed: Set<OperationID> = []
        private var mustName: OperationID?

        init() {
            arming.empty(at: now)
            emptySince = now
        }

        /// Plays an event; false if it cannot happen now.
        mutating func take(_ event: Event) -> Bool {
            hasPaid = false
            now += .milliseconds(10)
            switch event {
            case .arm: return arm(by: Till.page)
            case .armOther: return arm(by: Till.otherPage)
            case .armLate:
                guard late == nil, let id = newID() else { return false }
                late = id
            case .armLateArrives:
                guard let id = late else { return false }
                late = nil
                arm(id, by: Till.page)
            case .change:
                // The page changes the sale that it armed or that is on its way.
                let id = late ?? isValid
                if let id { changed.insert(id) }
                isValid = nil
                if mustName == Till.page { mustName = nil }
                _ = arming.change(id, of: Till.page)
            case .pageLeaves:
                isValid = nil
                mustName = nil
                for page in [Till.page, Till.otherPage] { _ = arming.leave(page) }
            case .putOne: return put(1)
            case .putOther: return put(2)
            case .flicker:
                guard let card else { return false }
                lift()
                now += .milliseconds(100)
                return put(card)
            case .several:
                if isValid != nil { mustName = owner }
                (card, emptySince, isValid) = (3, nil, nil)
                _ = arming.meetOther()
            case .lift:
                guard card != nil else { return false }
                lift()
            case .loseReader:
                (emptySince, isValid) = (nil, nil)
                _ = arming.loseSight()
                if card == nil { lift() } else { arrive() }
            case .refuse:
                (isValid, mustName, emptySince) = (nil, Till.page, nil)
                _ = arming.loseSight()
                arming.refused(Till.page)
                if card == nil { lift() } else { arming.stay() }
            case .waitShort: now += .milliseconds(500)
            case .waitLong: now += .seconds(1)
            case .waitExpiry: now += .seconds(30)
            }
            return true
        }

        private mutating func newID() -> OperationID? {
            guard used + 2 < Till.ids.count else { return nil }
            used += 1
            return Till.ids[used + 1]
        }

        private mutating func arm(by page: OperationID) -> Bool {
            guard let id = newID() else { return false }
            arm(id, by: page)
            return true
        }

        private mutating func arm(_ id: OperationID, by page: OperationID) {
            let refusal = arming.arm(id, for: page, at: now, isServed: false)
            if card == nil, !changed.contains(id), mustName != page {
                if let refusal { fault = "a sale was not armed (\(refusal))" }
                (isValid, owner, armedAt[id]) = (id, page, now)
            }
        }

        private mutating func lift() {
            card = nil
            arming.empty(at: now)
            if emptySince == nil { emptySince = now }
        }

        private mutating func put(_ which: Int) -> Bool {
            guard card == nil else { return false }
            card = which
            arrive()
            return true
        }

        /// The card is detected now and has been read a little later.
        private mutating func arrive() {
            let seen = now
            now += .seconds(2)
            let (pays, _) = arming.arrive(seen: seen, at: now)
            let armed = isValid.flatMap { armedAt[$0] }
            let isClean = emptySince.map { seen - $0 >= .seconds(1) } ?? false
            let mayPay = isClean && armed.map { now - $0 < .seconds(30) } ?? false
            if let pays, !mayPay || pays.id != isValid { fault = "an unarmed sale was charged" }
            if let pays, changed.contains(pays.id) { fault = "a changed sale was charged" }
            if pays == nil, mayPay { fault = "an armed sale was not charged" }
            hasPaid = pays != nil
            (emptySince, isValid) = (nil, nil)
        }
    }
}
