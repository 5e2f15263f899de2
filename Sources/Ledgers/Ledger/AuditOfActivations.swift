import TapcardDomain

/// I9: what the rows of activations and codes must be.
extension AuditedLedger {
    func activations() -> [String] { attempted() + activated() + coded() + twins() }

    /// Cards in use that show "activating" because the service has not answered.
    func activating() throws(LedgerError) -> [CardUID] {
        let asked = Set(attempts.filter { $0.state == .requested }.map(\.code))
        var found: [CardUID] = []
        for card in cards {
            guard let code = card.scratch.code, asked.contains(code),
                try rows.activation(on: card)?.state == .requested
            else { continue }
            found.append(card.uid)
        }
        return found
    }

    /// A code has one attempt that was not rejected, and is that of the card it was on.
    private func attempted() -> [String] {
        var found: [String] = []
        var codes: Set<ScratchCode> = []
        for attempt in attempts {
            if (attempt.state == .requested) != (attempt.answeredAt == nil) {
                found.append("I9: attempt \(attempt.id) is \(attempt.state) at an unknown time")
            }
            if let card = traces.cards[attempt.card], !card.hadUntoldCode,
                !card.codes.contains(attempt.code)
            {
                found.append(
                    "I9: attempt \(attempt.id) is for a code that card \(attempt.card) never had")
            }
            if attempt.state != .rejected, !codes.insert(attempt.code).inserted {
                found.append("I9: code \(attempt.code) has two attempts")
            }
        }
        return found
    }

    /// Nothing comes of an attempt without a yes, and no activation without an attempt. Those of
    /// ledgers before version 3 had none: no operation before them tells what it is about.
    private func activated() -> [String] {
        var found: [String] = []
        var areAttemptsKept = false
        let attempts = Dictionary(attempts.map { ($0.id, $0) }) { first, _ in first }
        for operation in operations {
            areAttemptsKept = areAttemptsKept || operation.subject != nil
            if let attempt = attempts[operation.id] {
                let told = ScratchCard(subject: operation.subject)?.code
                if operation.kind != .activate || attempt.state != .active
                    || told ?? attempt.code != attempt.code
                {
                    found.append("I9: operation \(operation.id) came of an attempt without a yes")
                }
            } else if operation.kind == .activate, areAttemptsKept {
                found.append("I9: operation \(operation.id) came of no attempt")
            }
        }
        return found
    }

    /// A card has the code that its operations have given it, as far as they have brought it.
    private func coded() -> [String] {
        cards.compactMap { card in
            guard let told = traces.cards[card.uid]?.scratch, !told.allows(card.scratch) else {
                return nil
            }
            return switch (told, card.scratch) {
            case (.activated, .activated), (.scratched, .scratched):
                "I9: card \(card.uid) has another code than it was given"
            case (_, .activated): "I9: card \(card.uid) was activated without a yes"
            case (.activated, _):
                "I9: card \(card.uid) was activated and is \(card.scratch.word ?? "without a code")"
            case (.untold, _), (.uncoded, _), (.scratched, _):
                "I9: card \(card.uid) is not as its operations have scratched it"
            }
        }
    }

    /// Of two cards in use with one code, one is a copy.
    private func twins() -> [String] {
        var owners: [ScratchCode: CardUID] = [:]
        return cards.filter(\.isInUse).compactMap { card in
            guard let code = card.scratch.code,
                let other = owners.updateValue(card.uid, forKey: code)
            else { return nil }
            return "I9: cards \(other) and \(card.uid) have the same code"
        }
    }
}
