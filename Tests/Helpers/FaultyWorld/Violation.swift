package import Tags

/// One step of a station: a frame, or a transaction of the ledger.
package struct Step: Sendable {
    /// What the station does.
    package enum Act: Sendable, Hashable {
        case frame([UInt8])
        /// A WRITE of a page, with its earlier content.
        case write(page: UInt8, old: Page, new: Page)
        /// A command to an NTAG 424, which may change the chip.
        case command([UInt8], isWrite: Bool)
        case ledgerRead
        case ledgerWrite
        /// A request to the activation service.
        case service
    }

    package let station: Int
    package let act: Act
    package let mishap: Mishap?
    /// Whether a tag received the frame.
    package var isHeard = false
    /// The station's answer.
    package var answer = ""
    /// The world after the step, only where a scene keeps them.
    package var after: RestingWorld?

    package var isFrame: Bool {
        switch act {
        case .frame, .write, .command: true
        case .ledgerRead, .ledgerWrite, .service: false
        }
    }

    /// Whether it writes to the card.
    package var isWrite: Bool {
        switch act {
        case .write, .command(_, isWrite: true): true
        case .frame, .command, .ledgerRead, .ledgerWrite, .service: false
        }
    }
}

/// An invariant that is broken, and how that shows.
package struct Violation: Hashable, Sendable, CustomStringConvertible {
    package let invariant: Invariant
    package let detail: String

    package init(_ invariant: Invariant, _ detail: String) {
        self.invariant = invariant
        self.detail = detail
    }

    package var description: String { "\(invariant.rawValue): \(detail)" }
}

/// The rules that hold whatever goes wrong, numbered as in docs/EXACTLY-ONCE.md.
package enum Invariant: String, Sendable, CaseIterable {
    case i1 = "I1", i2 = "I2", i3 = "I3", i4 = "I4", i5 = "I5", i6 = "I6", i7 = "I7", i8 = "I8"
    case i9 = "I9", i10 = "I10", i11 = "I11", i12 = "I12", i13 = "I13", i14 = "I14"
    /// A phone reads a balance that the card has had, or none.
    case display
    /// A tag has its password and asks for it if and only if the ledger says so.
    case protection
    /// A chip has the keys, settings and grant of its card, and no wrong key is tried on it.
    case chip

    package var rule: String {
        switch self {
        case .i1: "all accounts add up to 0 and the card has what its operations left"
        case .i2: "an operation has one final state and one set of parameters"
        case .i3: "at most one operation is open on a card"
        case .i4: "a valid record has exactly one row of sixteen bytes"
        case .i5: "no number twice; confirmed is at most allocated and never falls"
        case .i6: "\"paid\" is said if and only if the operation is committed"
        case .i7: "an old image is never accepted, an honest card never accused"
        case .i8: "one undisturbed tap brings tag, message and ledger together"
        case .i9: "an activation takes effect at most once"
        case .i10: "only record and message pages are written in service"
        case .i11: "some record on a confirmed card is valid and not below confirmed"
        case .i12: "a ticket counts if and only if it is paid, and its prize is booked once"
        case .i13: "nothing that can be voided is booked on a card that is not in use"
        case .i14: "what a tap resolves is told by its answer, and nothing else is"
        case .display: "phones read a balance that the card has had, or none"
        case .protection: "a tag that is not being switched is protected as the ledger says"
        case .chip: "a chip has its card's keys, settings and grant, and counts no wrong key"
        }
    }
}
