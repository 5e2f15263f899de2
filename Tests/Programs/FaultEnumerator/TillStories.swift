import TapcardCore
import TapcardDomain

/// Two browsers at one till, with events in every order: cards come and go, requests are lost or
/// late, and the server restarts.
package enum TillStories {
    package static let length = 5

    enum Event: CaseIterable {
        case putOne, putOther, lift
        /// A press in one of the browsers.
        case press, pressInOther
        /// A press whose request does not reach the server yet, and its later arrival.
        case pressWhileHanging, arrive
        /// The first browser repeats its last request without a press.
        case again
        case restart
    }

    /// The first failure, or nil if there is none, and how many stories were played.
    package static func play(length: Int = length) -> (finding: String?, count: Int) {
        var count = 0
        func goOn(_ till: Till, _ story: [Event]) -> String? {
            count += 1
            if let fault = till.fault { return "\(fault): \(story)" }
            guard story.count < length else { return nil }
            for event in Event.allCases {
                var next = till
                guard next.take(event) else { continue }
                if let finding = goOn(next, story + [event]) { return finding }
            }
            return nil
        }
        return (goOn(Till(), []), count)
    }

    /// The till, and what its server believes about it.
    struct Till {
        private static let cards = ["04AC6B72BA6C80", "04AC6B72BA6C81"].compactMap { CardUID($0) }

        private(set) var fault: String?
        private var admission = Admission()
        private var card: CardUID?
        private var chargesOfVisit = 0
        private var ledger: [OperationID: CardUID] = [:]
        private var waiting: OperationID?
        private var late: OperationID?
        /// The last request of the first browser.
        private var last: OperationID?
        private var deniedOnce: Set<OperationID> = []
        private var begunByRepetition: Set<OperationID> = []
        private var ids: UInt8 = 0

        /// Plays an event; false if it cannot happen now.
        mutating func take(_ event: Event) -> Bool {
            switch event {
            case .putOne, .putOther:
                guard card == nil else { return false }
                put(Till.cards[event == .putOne ? 0 : 1])
            case .lift:
                guard card != nil else { return false }
                (card, chargesOfVisit) = (nil, 0)
                admission.visit.leave()
            case .press:
                let id = newID()
                last = id
                begin(id)
            case .pressInOther: begin(newID())
            case .pressWhileHanging:
                guard late == nil else { return false }
                let id = newID()
                (last, late) = (id, id)
            case .arrive:
                guard let id = late else { return false }
                late = nil
                begin(id)
            case .again:
                guard let last, waiting != last, ledger[last] == nil else { return false }
                repeatRequest(last)
            case .restart:
                // A request on its way is lost with its connection.
                (admission, waiting, late) = (Admission(), nil, nil)
            }
            return true
        }

        private mutating func newID() -> OperationID {
            ids += 1
            let digits = String(1_000 + Int(ids))
            guard let id = OperationID("0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d\(digits)") else {
                preconditionFailure("not an id")
            }
            return id
        }

        private mutating func put(_ uid: CardUID) {
            card = uid
            admission.visit.arrive(uid)
            if let waiting { charge(uid, waiting) }
        }

        private mutating func repeatRequest(_ id: OperationID) {
            guard admission.mayContinue(id, isBegun: false) else {
                deniedOnce.insert(id)
                return
            }
            begunByRepetition.insert(id)
            begin(id)
        }

        private mutating func begin(_ id: OperationID) {
            guard !admission.isWithdrawn(id), waiting == nil else { return }
            if !admission.visit.hasChecked {
                if let card { admission.visit.arrive(card) } else { admission.visit.leave() }
            }
            if let unseen = admission.visit.unseen {
                admission.visit.recall(ledger.values.contains(unseen) ? [.pay] : [])
            }
            guard admission.question(.pay, on: nil, isAgain: false) == nil else { return }
            waiting = id
            if let card { charge(card, id) }
        }

        private mutating func charge(_ uid: CardUID, _ id: OperationID) {
            waiting = nil
            ledger[id] = uid
            admission.visit.note(.pay, id, .yes)
            chargesOfVisit += 1
            if chargesOfVisit > 1 { fault = "a card was charged twice in one visit" }
            if begunByRepetition.contains(id) { fault = "a card was charged without a press" }
            if deniedOnce.contains(id) { fault = "a card was charged that was said not to be" }
        }
    }
}
