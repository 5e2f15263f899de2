/// A lottery draw that has taken place.
public struct Draw: Hashable, Sendable {
    /// The name that the lottery assigned to the draw.
    public let id: DrawID
    /// The day on which the balls were drawn.
    public let date: CalendarDate
    /// The balls drawn.
    public let balls: Balls
    /// The top prize as the lottery reports it: in whole units of the currency, unless a setting
    /// says that it is in minor units.
    public let topPrize: Int64

    /// Creates a draw.
    public init(id: DrawID, date: CalendarDate, balls: Balls, topPrize: Int64) {
        (self.id, self.date, self.balls, self.topPrize) = (id, date, balls, topPrize)
    }
}

extension Draw {
    fileprivate func isNewer(than other: Draw) -> Bool {
        if date != other.date { return date > other.date }
        // Two draws on the same day are compared by number, because draw-10 comes after draw-9 but
        // sorts before it as text.
        let (ours, theirs) = (id.parts?.number ?? 0, other.id.parts?.number ?? 0)
        return ours == theirs ? id.text > other.id.text : ours > theirs
    }
}

/// The name that the lottery assigned to a draw, such as "draw-1".
public struct DrawID: Hashable, Sendable, CustomStringConvertible {
    /// The name as the lottery writes it.
    public let text: String

    /// Accepts only a short name in printable ASCII, because names from the lottery are displayed,
    /// stored, and written to tags.
    public init?(_ text: String) {
        guard LotteryName.isValid(text) else { return nil }
        self.text = text
    }

    public var description: String { text }

    /// The name's stem and number, such as "draw-" and 1; `nil` if the name does not end in a
    /// number of at most nine digits.
    public var parts: (stem: String, number: Int)? {
        let digits = text.reversed().prefix { ("0"..."9").contains($0) }.count
        // A number of at most nine digits cannot overflow when steps are added to it.
        guard (1...9).contains(digits), let number = Int(text.suffix(digits)) else { return nil }
        return (String(text.dropLast(digits)), number)
    }
}

/// The ID of a ticket, such as "ticket-1".
public struct TicketID: Hashable, Sendable, CustomStringConvertible {
    /// The ID as text.
    public let text: String

    /// Creates an ID; `nil` if the text is empty or too long, or contains an invalid character.
    public init?(_ text: String) {
        guard LotteryName.isValid(text) else { return nil }
        self.text = text
    }

    public var description: String { text }
}

enum LotteryName {
    private static let maximumLength = 40

    static func isValid(_ text: String) -> Bool {
        (1...maximumLength).contains(text.utf8.count)
            // Printable ASCII, except for the space and the two characters that JSON must escape.
            && text.utf8.allSatisfy { byte in
                (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"")
                    && byte != UInt8(ascii: "\\")
            }
    }
}

/// The known draws, newest first, each listed once.
public struct DrawList: Hashable, Sendable {
    /// The draws, newest first.
    public let draws: [Draw]

    /// Sorts the draws. Of two draws on the same day, the one with the higher number is newer.
    /// Refuses a list that contains the same draw twice.
    public init(_ draws: [Draw]) throws(Refusal) {
        var seen: Set<DrawID> = []
        for draw in draws where !seen.insert(draw.id).inserted {
            throw Refusal(.badDraw, "draw \(draw.id) is listed twice")
        }
        self.draws = draws.sorted { $0.isNewer(than: $1) }
    }

    /// The newest draw in an earlier list, if this list contains neither that draw nor a newer one;
    /// otherwise `nil`. This list need not contain older draws.
    public func lost(from earlier: DrawList) -> Draw? {
        guard let known = earlier.draws.first, self[known.id] == nil else { return nil }
        guard let newest = draws.first else { return known }
        return known.isNewer(than: newest) ? known : nil
    }

    /// Whether this list ends before the given draw, which is known to have taken place.
    public func endsBefore(_ over: DrawID) -> Bool {
        guard self[over] == nil, let parts = over.parts else { return false }
        // Only names with the same stem can be compared by number.
        return draws.compactMap { $0.id.parts }.allSatisfy { known in
            known.stem != parts.stem || known.number < parts.number
        }
    }

    /// The draw with this ID; `nil` if it is not in the list.
    public subscript(id: DrawID) -> Draw? { draws.first { $0.id == id } }

    /// The draw after the given one; `nil` if it is the newest or not in the list.
    public func next(after id: DrawID) -> Draw? { neighbor(of: id, -1) }

    /// The draw before the given one; `nil` if it is the oldest or not in the list.
    public func previous(before id: DrawID) -> Draw? { neighbor(of: id, 1) }

    private func neighbor(of id: DrawID, _ step: Int) -> Draw? {
        guard let index = draws.firstIndex(where: { $0.id == id }),
            draws.indices.contains(index + step)
        else { return nil }
        return draws[index + step]
    }

    /// How many draws ahead a ticket can be sold.
    private static let maximumDrawsAhead = 52

    /// The draw for which to sell a ticket: the one called `name`, or by default, the first one
    /// after the newest known draw. Refuses a draw that has taken place or is too far ahead.
    ///
    /// The lottery does not announce the names of future draws. They are derived from the known
    /// draws, but only if those are numbered consecutively. Otherwise, a customer might pay for a
    /// draw that never takes place.
    public func upcoming(named name: String? = nil) throws(Refusal) -> DrawID {
        if draws.isEmpty {
            throw Refusal(
                .noDrawKnown, "no draw has taken place yet, so the ID of the next one is not known")
        }
        guard let last = lastConsecutive, let next = last.following(1) else {
            throw Refusal(
                .badDraw,
                "the known draws are not numbered consecutively, so the next draw ID is unknown")
        }
        guard let name else { return next }
        guard let id = DrawID(name) else {
            throw Refusal(.badDraw, "\"\(printable(name))\" is not a valid draw ID")
        }
        if self[id] != nil { throw Refusal(.drawOver, "draw \(id) has already taken place") }
        if id.isFollowed(by: next) {
            // The draw's number is below the next one, so the draw has taken place, even though the
            // list does not go back far enough to include it.
            throw Refusal(.drawOver, "draw \(id) is over; the next one is \(next)")
        }
        guard (1...DrawList.maximumDrawsAhead).contains(where: { last.following($0) == id }) else {
            throw Refusal(
                .noSuchDraw,
                "draw \(id) is unknown or too far in the future; the next one is \(next)")
        }
        return id
    }

    /// The newest draw, if the known draws are numbered consecutively and not named after dates;
    /// otherwise `nil`.
    private var lastConsecutive: DrawID? {
        guard let last = draws.first?.id, last.following(1) != nil, !last.endsInDate else {
            return nil
        }
        // A gap shows that the lottery does not number its draws consecutively.
        for (newer, older) in zip(draws, draws.dropFirst())
        where older.id.following(1) != newer.id { return nil }
        return last
    }
}

extension DrawID {
    /// The highest number with nine digits, the maximum that `parts` accepts.
    private static let highestNumber = 999_999_999

    /// The name of the draw this many draws later. Its number has at least as many digits.
    fileprivate func following(_ steps: Int) -> DrawID? {
        guard let (stem, number) = parts, number + steps <= DrawID.highestNumber else { return nil }
        let digits = String(number + steps)
        let width = text.utf8.count - stem.utf8.count
        // Both "draw-09" and "draw-9" are followed by "draw-10".
        let zeros = String(repeating: "0", count: max(0, width - digits.utf8.count))
        return DrawID(stem + zeros + digits)
    }

    /// Whether counting up from this name leads to `later`.
    fileprivate func isFollowed(by later: DrawID) -> Bool {
        guard let own = parts, let other = later.parts, own.number < other.number else {
            return false
        }
        return following(other.number - own.number) == later
    }

    /// Whether the name ends in a date. Such names count up only until the end of the month.
    fileprivate var endsInDate: Bool { CalendarDate(String(text.suffix(10))) != nil }
}
