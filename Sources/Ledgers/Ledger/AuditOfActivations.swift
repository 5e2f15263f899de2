import TapcardDomain

/// I9: the rules for activations and scratch codes.
extension AuditedCard {
    /// I9: every activation has an attempt.
    func activations(of operation: Operation) throws(LedgerError) -> [String] {
        guard operation.kind == .activate, try rows.activation(operation.id) == nil else {
            return []
        }
        return ["I9: activation operation \(operation.id) has no attempt"]
    }

    /// A code has at most one attempt that was not rejected. The card of an attempt has, or had,
    /// its code. Only an approved attempt leads to an activation.
    func attemptViolations() throws(LedgerError) -> [String] {
        var found: [String] = []
        var pages = rows.pagesOfActivations(on: uid, or: nil)
        while let attempt = try pages.next() {
            if (attempt.state == .requested) != (attempt.answeredAt == nil) {
                found.append(
                    "I9: attempt \(attempt.id) is \(attempt.state), but the time of its answer is "
                        + (attempt.answeredAt == nil ? "missing" : "recorded"))
            }
            if operations > 0, !trace.codes.contains(attempt.code) {
                found.append(
                    "I9: attempt \(attempt.id) has a code that card \(uid) never had")
            }
            // The query returns only one attempt. If there are two, one of them is not the result.
            if attempt.state != .rejected,
                try rows.activation(of: attempt.code)?.id != attempt.id
            {
                found.append("I9: code \(attempt.code) has two attempts")
            }
            if let operation = try rows.operation(attempt.id), !attempt.canLead(to: operation) {
                found.append(
                    "I9: activation operation \(operation.id) has no positive answer from the "
                        + "service")
            }
        }
        return found
    }

    /// Compares the code in the card's row with the code that its operations lead to.
    func codeViolations(_ card: LedgerCard) -> [String] {
        // Without operations, there is no trace to compare the card with.
        guard operations > 0, trace.scratch != ScratchTrace(card.scratch) else { return [] }
        let problem =
            switch (trace.scratch, card.scratch) {
            case (.activated, .activated), (.scratched, .scratched):
                "has a different code from the one it was given"
            case (_, .activated): "is activated without a positive answer from the service"
            case (.activated, _):
                card.scratch.word.map {
                    "was activated by its operations, but its state is \($0)"
                }
                    ?? "was activated by its operations, but has no code"
            case (.uncoded, _), (.scratched, _):
                "has a scratch state that contradicts its operations"
            }
        return ["I9: card \(uid) \(problem)"]
    }

    /// Finds another active or blocked card with the same code; one of the two is a copy.
    func twin(of card: LedgerCard) throws(LedgerError) -> [String] {
        guard card.isInUse, let code = card.scratch.code,
            // A pair is reported only for the card with the higher UID, so it is reported once.
            let other = try rows.cards(with: code).last(where: { $0.isInUse && $0.uid < uid })
        else { return [] }
        return ["I9: cards \(other.uid) and \(uid) have the same code"]
    }
}

extension ActivationAttempt {
    /// Whether this operation can result from an approval of the attempt.
    fileprivate func canLead(to operation: Operation) -> Bool {
        operation.kind == .activate && state == .active && operation.scratch?.code == code
    }
}
