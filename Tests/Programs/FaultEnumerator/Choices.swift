package import FaultyWorld
import SimulatedReader
import Tags

/// The contents that are tried for a torn page.
enum TearClasses: String, CaseIterable {
    /// One mixture of old and new bits.
    case one
    /// Zeros and one mixture of old and new bits.
    case few
    /// Zeros, old, new, old or new reduced to its lowest or highest four one-bits, one seeded
    /// subset of each, and one mixture.
    case some
    /// Zeros, old, new, old or new reduced to its lowest or highest k one-bits for every k, four
    /// seeded subsets of each, and four seeded mixtures of both.
    case all
}

/// All mishaps in an order that never changes, because the numbers of schedules depend on it.
extension Mishap {
    package static let table: [Mishap] =
        [
            .killedBefore, .killedAfter, .ledgerOffline, .ledgerGone, .commitLost, .commitUnknown,
            .commitUnknownLedgerGone,
        ]
        + [.lost, .pulledAfter, .acknowledgeLost, .late, .garbled, .refused(0)].map(Mishap.radio)
        + backKinds.map(Mishap.radioAndBack)
        + TornPage.table.map { Mishap.radio(.torn($0)) }
        + ServiceFault.allCases.map(Mishap.service) + [.forgedAnswer]

    static let places = Dictionary(
        uniqueKeysWithValues: table.enumerated().map { ($0.element, $0.offset) })

    /// The faults after which the card is back before the station looks for it.
    private static let backKinds: [Fault.Kind] = [
        .lost, .pulledAfter, .acknowledgeLost, .torn(.zero), .torn(.mix(seed: 1)),
    ]

    /// The faults at a step, apart from those that tear a page for good or kill the process.
    static func options(at step: Step) -> [Mishap] {
        switch step.act {
        case .frame where !step.isHeard, .write where !step.isHeard,
            .command where !step.isHeard:
            []
        case .frame, .command(_, isWrite: false):
            [.lost, .pulledAfter, .late, .garbled, .refused(0)].map(Mishap.radio)
                + [.lost, .pulledAfter].map(Mishap.radioAndBack)
        case .write:
            [.lost, .pulledAfter, .acknowledgeLost, .late, .garbled, .refused(0)]
                .map(Mishap.radio) + backKinds.map(Mishap.radioAndBack)
        // Torn, a chip holds the old or the new content, or a state of the card in part.
        case .command(_, isWrite: true):
            [
                .lost, .pulledAfter, .acknowledgeLost, .late, .garbled, .refused(0), .torn(.zero),
                .torn(.lowestOnes(16)),
            ].map(Mishap.radio)
                + [.lost, .pulledAfter, .acknowledgeLost].map(Mishap.radioAndBack)
                + [.forgedAnswer]
        case .ledgerRead: [.ledgerOffline, .ledgerGone]
        case .ledgerWrite:
            [.ledgerOffline, .ledgerGone, .commitLost, .commitUnknown, .commitUnknownLedgerGone]
        case .service: ServiceFault.allCases.map(Mishap.service)
        }
    }
}

extension TornPage {
    private static let one: [TornPage] = [.mix(seed: 1)]
    private static let few: [TornPage] = [.zero, .mix(seed: 1)]
    private static let some: [TornPage] = [
        .zero, .unchanged, .new, .mix(seed: 1), .someOnes(seed: 1), .erasedToSomeOnes(seed: 1),
        .lowestOnes(4), .highestOnes(4), .erasedToLowestOnes(4), .erasedToHighestOnes(4),
    ]
    private static let counts = 1...31

    static let table: [TornPage] = {
        var table: [TornPage] = [.zero, .unchanged, .new]
        table += (1...4).map { TornPage.mix(seed: $0) }
        table += (1...4).map { TornPage.someOnes(seed: $0) }
        table += (1...4).map { TornPage.erasedToSomeOnes(seed: $0) }
        table += counts.map(TornPage.lowestOnes)
        table += counts.map(TornPage.highestOnes)
        table += counts.map(TornPage.erasedToLowestOnes)
        table += counts.map(TornPage.erasedToHighestOnes)
        return table
    }()

    private static func ways(_ classes: TearClasses) -> [TornPage] {
        switch classes {
        case .one: one
        case .few: few
        case .some: some
        case .all: table
        }
    }

    /// A page that a torn WRITE can leave, one way to leave it, and the number of such ways.
    struct Content: Hashable {
        let page: Page
        let way: TornPage
        var ways: Int
    }

    static func contents(old: Page, new: Page, _ classes: TearClasses) -> [Content] {
        var contents: [Content] = []
        var places: [Page: Int] = [:]
        for way in ways(classes) where way.isOwn(old: old, new: new) {
            let page = way.content(old: old, new: new)
            if let place = places[page] {
                contents[place].ways += 1
            } else {
                places[page] = contents.count
                contents.append(Content(page: page, way: way, ways: 1))
            }
        }
        return contents
    }

    /// Whether this way leaves fewer one-bits than the page has; if not, another class covers it.
    private func isOwn(old: Page, new: Page) -> Bool {
        func ones(_ page: Page) -> Int { page.bytes.reduce(0) { $0 + $1.nonzeroBitCount } }
        return switch self {
        case .lowestOnes(let count), .highestOnes(let count): count < ones(new)
        case .erasedToLowestOnes(let count), .erasedToHighestOnes(let count): count < ones(old)
        default: true
        }
    }
}
