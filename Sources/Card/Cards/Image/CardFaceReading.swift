package import TapcardDomain
package import TextCodecs

extension CardFace {
    /// Reads a card's JSON in our format or the iPhone app's, in the long or the short form.
    package init(_ value: JSONValue, currency: Currency) throws(CardImageError) {
        guard let members = value.members else {
            throw CardImageError(.notACard, "the JSON is not an object")
        }
        // Both formats have `id`; only ours has `balance`.
        let isOwn = value[FaceKey.balance] != nil
        guard let amount = value[FaceKey.balance] ?? value[FaceKey.accountValue] else {
            throw CardImageError(.notACard, "balance and accountValue are both missing")
        }
        let known = isOwn ? FaceKey.own : FaceKey.app
        self.init(
            style: isOwn ? .tapcard : .iosApp,
            balance: try CardFace.money(amount, currency),
            holder: Holder(
                id: try CardFace.id(value[FaceKey.id]),
                name: isOwn
                    ? try CardFace.name(value[FaceKey.name])
                    : try CardFace.name(value[FaceKey.firstName], value[FaceKey.lastName])),
            scratch: try CardFace.scratch(value[FaceKey.state], value[FaceKey.code]),
            ticket: value[FaceKey.ticket].flatMap(CardFace.ticket),
            game: value[FaceKey.game]?.string.flatMap(MastermindGameID.init),
            // In the app's format, our keys are not extras either; otherwise, switching formats
            // would keep a stale code or ticket.
            extras: members.filter { !known.contains($0.key) })
    }

    /// The cardholder and the members added by other software, even if other values are invalid.
    static func remains(of value: JSONValue) -> (holder: Holder, extras: [JSONMember])? {
        guard let members = value.members else { return nil }
        let isOwn = value[FaceKey.balance] != nil
        let name =
            isOwn
            ? try? name(value[FaceKey.name])
            : try? name(value[FaceKey.firstName], value[FaceKey.lastName])
        let known = isOwn ? FaceKey.own : FaceKey.app
        return (
            Holder(id: try? id(value[FaceKey.id]), name: name),
            members.filter { !known.contains($0.key) }
        )
    }

    private static func money(
        _ value: JSONValue, _ currency: Currency
    ) throws(CardImageError) -> Money {
        guard let text = value.numberText,
            let units = DecimalNumber(text)?.minorUnits(of: currency),
            units <= Currency.largestBalance
        else {
            throw CardImageError(.badValue, "balance is not an amount that a card can hold")
        }
        return Money(minorUnits: units, currency)
    }

    private static func id(_ value: JSONValue?) throws(CardImageError) -> HolderID? {
        // Other software writes null for a missing value.
        guard let value, value != .null else { return nil }
        guard let text = value.numberText, let id = try? HolderID(parsing: text) else {
            throw CardImageError(.badValue, "id is not a whole number of 1 or more")
        }
        return id
    }

    /// Reads a single name, or joins a first and a last name with a space.
    private static func name(_ parts: JSONValue?...) throws(CardImageError) -> HolderName? {
        var words: [String] = []
        for part in parts {
            guard let part, part != .null else { continue }
            guard let word = part.string else {
                throw CardImageError(.badValue, "name is not text")
            }
            if !word.isEmpty { words.append(word) }
        }
        if words.isEmpty { return nil }
        return try translating(HolderName(words.joined(separator: " "))) { (error: Refusal) in
            CardImageError(.badValue, error.detail)
        }
    }

    private static func scratch(
        _ state: JSONValue?, _ code: JSONValue?
    ) throws(CardImageError) -> ScratchCard {
        // The iPhone app writes neither a state nor a code.
        if state == nil && code == nil { return .none }
        let value = code?.string.flatMap(CardFace.code)
        switch (state?.string, code, value) {
        // The one-letter states belong to the short form.
        case ("unscratched", nil, _), ("u", nil, _): return .unscratched
        case ("scratched", _, let value?), ("s", _, let value?): return .scratched(value)
        case ("activated", _, let value?), ("a", _, let value?): return .activated(value)
        default:
            throw CardImageError(.badValue, "code and state contradict each other")
        }
    }

    /// Reads a UUID with hyphens, or its 16 bytes as 22 characters of base64url.
    private static func code(_ text: String) -> ScratchCode? {
        ScratchCode(text) ?? Base64URL.decode(text).flatMap(ScratchCode.init(bytes:))
    }

    /// Reads a ticket from its ID, draw, balls, and bonus ball. An invalid ticket is ignored,
    /// because nothing depends on it.
    private static func ticket(_ value: JSONValue) -> Ticket? {
        guard let parts = value.array, parts.count == 4,
            let id = parts[0].string.flatMap(TicketID.init),
            let draw = parts[1].string.flatMap(DrawID.init),
            let numbers = parts[2].array?.map(CardFace.number),
            let bonus = CardFace.number(parts[3]),
            let balls = Balls(stored: numbers.compactMap { $0 }, bonus: bonus),
            // `compactMap` drops anything that is not a number, in which case the counts differ.
            balls.numbers.count == numbers.count
        else { return nil }
        return Ticket(id: id, draw: draw, balls: balls)
    }

    private static func number(_ value: JSONValue) -> Int? { value.numberText.flatMap { Int($0) } }
}
