import Ledger
import TagReading
import TapcardDomain

extension Station {
    /// How often one tap looks at a card again: settling takes at most two looks, another
    /// station's work one more; what is left is for a bad contact.
    private static let mostRounds = 6

    /// Waits for a card, settles what is open on it, and hands it over when nothing is. When the
    /// tap ends before that, because the card is lost or cannot be trusted any more, `conclude`
    /// decides from the ledger what that means.
    ///
    /// `early` sees every look at the card before anything is settled, and may end the tap there.
    /// The body returns nil to look again.
    ///
    /// `request` is the operation that the card is held there for, and `begun` what was asked for
    /// under its id. An error says what the tap has settled before it.
    func tap<Success: Sendable>(
        for request: OperationID?, asking begun: Begun? = nil, thoroughly: Bool = false,
        only card: CardUID? = nil,
        conclude: (TapcardError, TapState) async -> Result<Success, TapcardError>? = {
            _, _ in nil
        },
        early: (Sight, inout TapState) async throws(Interruption) -> Look<Success> = {
            _, _ in .goOn
        },
        _ body: (Sight, TapState) async throws(Interruption) -> Success?
    ) async throws(TapcardError) -> Success {
        var state = TapState()
        do throws(TapcardError) {
            return try await tap(
                for: request, asking: begun, &state, thoroughly: thoroughly, only: card,
                conclude: conclude, early: early, body)
        } catch {
            await lookUpEnd(&state)
            throw error.telling(settled(state, besides: request))
        }
    }

    private func tap<Success: Sendable>(
        for request: OperationID?, asking begun: Begun?, _ state: inout TapState,
        thoroughly: Bool, only card: CardUID?,
        conclude: (TapcardError, TapState) async -> Result<Success, TapcardError>?,
        early: (Sight, inout TapState) async throws(Interruption) -> Look<Success>,
        _ body: (Sight, TapState) async throws(Interruption) -> Success?
    ) async throws(TapcardError) -> Success {
        surroundings.progress(.waitingForCard)
        var limit = settings.wait
        var touched: CardUID?
        var last = TapcardError(
            .tagLost, "The card was taken away too soon.", meaning: TapcardError.unchanged,
            next: [.tag(.holdAgain)])
        for _ in 0..<Station.mostRounds {
            do throws(Interruption) {
                let (identity, uid) = try await find(within: limit)
                // Whoever stopped the wait for a card was told that nothing happens, also where one
                // came at the same moment.
                if touched == nil, Task.isCancelled { throw .reader(ReaderError(.cancelled)) }
                limit = Station.returnLimit
                try require(card ?? touched, is: uid)
                touched = uid
                let sight = try await see(identity, uid, thoroughly: thoroughly)
                if state.settling?.id != sight.view?.open?.id { await lookUpEnd(&state) }
                try await require(sight.view?.open, for: request, asking: begun)
                state.note(open: sight.view?.open, for: request)
                await hint(at: sight)
                switch try await early(sight, &state) {
                case .goOn: break
                case .again: continue
                case .done(let success):
                    await reader.release()
                    return success
                }
                do throws(Interruption) {
                    switch try await settle(sight, for: request, &state) {
                    case .settled(let operation, let display):
                        state.note(operation, display)
                        if let operation {
                            state.note(
                                closed: await balanceClosed(by: operation), by: operation.id)
                        }
                    case .quiet(let sight):
                        if let success = try await body(sight, state) {
                            await reader.release()
                            return success
                        }
                    }
                } catch {
                    throw await reconsidered(error, sight)
                }
            } catch {
                limit = Station.returnLimit
                if !(error.isGone && touched != nil) { last = error.error.naming(touched) }
                if error.mayPass { continue }
                break
            }
        }
        await reader.release()
        await lookUpEnd(&state)
        if let concluded = await conclude(last, state) { return try concluded.get() }
        throw await unsettled(state.hasWorked ? last.afterWork : last, touched)
    }

    private func require(_ wanted: CardUID?, is found: CardUID) throws(Interruption) {
        guard let wanted, wanted != found else { return }
        throw .refused(
            TapcardError(
                .wrongCard, "This is card \(found), not \(wanted).",
                meaning: "Nothing was changed on it.",
                next: [.tag(.hold(wanted))], uid: found))
    }

    /// What is open on the card under the request's id has to be what is asked for: nothing is
    /// finished in the name of a request that wants something else.
    private func require(
        _ open: Operation?, for request: OperationID?, asking begun: Begun?
    ) async throws(Interruption) {
        guard let open, open.id == request, let begun, begun.operation == nil else { return }
        #if LEAVE_RULES_OUT
        if LeftOutRule.current == .parametersAtTheTag { return }
        #endif
        let isAsked = try await asking { () throws(LedgerError) in
            try await isAnswered(begun, by: open)
        }
        guard isAsked else { throw .refused(mismatch(open)) }
    }

    /// A card that left while something was open on it is not "nothing happened"; nor is one that
    /// can never be written again.
    private func unsettled(_ error: TapcardError, _ uid: CardUID?) async -> TapcardError {
        let isNoAnswer =
            [.failed, .noCard, .noReader].contains(error.result) || error.kind == .lockedTag
        guard isNoAnswer, let uid, let view = try? await ledger.view(of: uid), let open = view.open
        else { return error }
        return TapcardError.openStill(open, because: error)
    }
}

/// What one look at a card says of how to go on.
enum Look<Success> {
    case goOn
    case again
    case done(Success)
}

/// What has been settled so far in one tap.
struct TapState: Sendable {
    /// What was left open and came to its end, the oldest first; a fresh record is no news.
    private(set) var settled: [Operation] = []
    /// What makings among them closed with the account that the tag had before.
    private(set) var closed: [OperationID: Int64] = [:]
    /// What this tap has begun to settle and does not know the end of.
    private(set) var settling: Operation?
    /// The request itself, as it was found open: its record may be on the tag since.
    private(set) var open: Operation?
    private(set) var display = DisplayState.current
    /// Whether card or ledger are not what they were before the tap.
    private(set) var hasWorked = false

    /// The making of a card that was left open.
    var made: Operation? { settled.last { $0.kind.makesCard } }

    /// What was to switch the tag's protection and was given up in this tap.
    var switchingEnded: Operation? {
        settled.last { $0.kind.switchesProtection && $0.state == .voided }
    }

    mutating func note(open operation: Operation?, for request: OperationID?) {
        if let operation, operation.id == request { open = operation }
    }

    /// What the tap has seen of an operation, for when the ledger cannot be asked any more.
    func seen(_ id: OperationID) -> Operation? { settled.last { $0.id == id } ?? open }

    /// What was settled of this kind and has happened.
    func done(_ kind: Operation.Kind) -> Operation? {
        settled.last { $0.kind == kind && $0.state == .committed }
    }

    /// An operation has come to its end. A fresh record is no news, and nobody has to hear of
    /// the same end twice.
    mutating func note(ended operation: Operation) {
        guard operation.state != .pending else { return }
        if settling?.id == operation.id { settling = nil }
        hasWorked = true
        guard operation.kind != .reseal else { return }
        settled.removeAll { $0.id == operation.id }
        settled.append(operation)
    }

    mutating func note(closed amount: Int64, by making: OperationID) {
        if amount > 0 { closed[making] = amount }
    }

    /// An operation that is about to be settled.
    mutating func note(settling operation: Operation) { settling = operation }

    mutating func note(_ operation: Operation?, _ display: DisplayState) {
        hasWorked = true
        if let operation { note(ended: operation) }
        if display != .current { self.display = display }
    }
}

extension Interruption {
    /// The card has been taken off the reader.
    fileprivate var isGone: Bool {
        if case .reader(let error) = self { error.kind == .noTag } else { false }
    }
}

extension TapcardError {
    /// Something was begun, and whether the card has it is not known.
    static func openStill(_ open: Operation, because error: TapcardError) -> TapcardError {
        let meaning =
            switch open.kind {
            case .pay, .ticket, .close:
                "Whether the card has it is not known; until then it is not done."
            case .add, .refund, .reverse, .claim, .scratch, .activate, .game, .issue, .adopt,
                .replace:
                "The ledger has it; the card follows at the next tap."
            case .protect:
                "Whether the tag asks for its password already is not known; the money is safe."
            case .unprotect:
                "Whether the tag still asks for its password is not known; the money is safe."
            case .reseal, .ask, .payout, .block, .unblock, .forget:
                "The money is safe in the ledger."
            }
        let isReaderGone = error.kind == .readerLost || error.kind == .noReader
        return TapcardError(
            .outcomeUnknown,
            "\(error.what) The \(open.kind.noun) \(open.id) is still open.",
            meaning: meaning,
            next: error.blamesTag
                ? error.next
                : (isReaderGone ? [.reader(.plugIn)] : []) + [.tag(.tapToSettle(error.kind))],
            uid: open.uid,
            operation: open.kind.takesIDOfClient ? open.id : nil)
    }

    /// The error of a request whose outcome is not known, with the way to ask for it again: under
    /// its own id it never happens twice.
    func retriable(_ operation: Operation) -> TapcardError {
        guard kind == .outcomeUnknown, operation.kind.takesIDOfClient else { return self }
        return saying(next: next + [.request(.repeatWithID(operation.id))])
    }

    /// The tag is what it is: to tap it again would not help.
    private var blamesTag: Bool {
        [.protectedTag, .lockedTag, .unsupportedTag].contains(kind) && !next.isEmpty
    }

    /// What is wrong with the card is what has to be said: to tap it again would not help.
    var blamesCard: Bool {
        result == .untrusted || kind == .ledgerBehind || kind == .cardCurrency
    }

    /// What is wrong with the card is what has to be said, and what is open on it as well.
    func leavingOpen(_ open: Operation) -> TapcardError {
        saying("\(what) The \(open.kind.noun) \(open.id) is still open.")
    }

    /// The card was made, and neither tag nor ledger can be asked what it holds now.
    static func madeUnread(_ making: Operation, because error: TapcardError) -> TapcardError {
        TapcardError(
            .outcomeUnknown, "\(error.what) The ledger cannot be asked what the card holds.",
            meaning: "The card was made (\(making.kind.noun) \(making.id)); the ledger has it.",
            next: [.ledger(.readCardWhenBack)], uid: making.uid,
            operation: making.id)
    }

    /// The disk failed while the ledger was to note it, and the ledger cannot be asked.
    static func perhapsBegun(_ perhaps: Operation, because error: TapcardError) -> TapcardError {
        TapcardError(
            .outcomeUnknown,
            "\(error.what) Whether the ledger has the \(perhaps.kind.noun) \(perhaps.id) is not "
                + "known.",
            meaning: "Nothing was written to the card, and nobody was told that it is done.",
            next: [.ledger(.readCardWhenWritable)], uid: perhaps.uid, operation: perhaps.id)
    }

    /// The disk failed while the ledger was to note it, and the ledger says that it has not.
    static func notBegun(_ perhaps: Operation) -> TapcardError {
        TapcardError(
            .ledgerUnavailable,
            "The disk failed while the ledger was being written. The \(perhaps.kind.noun) was not "
                + "begun.", meaning: unchanged,
            next: [.ledger(.checkDisk)], uid: perhaps.uid)
    }

    /// The same, where the tap had settled something before.
    var afterWork: TapcardError {
        guard meaning == TapcardError.unchanged else { return self }
        return saying(
            meaning: "What was still to be done on the card was worked on before; "
                + "the history shows it. Nothing else was changed.")
    }
}
