/// A safety rule. A `make mutants` build can turn off one rule at a time, to show that a test fails
/// without it. In every other build, `isDisabled` is always false, so the optimizer removes the
/// code for running without the rule.
///
/// docs/EXACTLY-ONCE.md describes rules 1 to 13 and 51 to 62; the others are described here.
@usableFromInline
package enum SafetyRule: Int, Sendable, CaseIterable {
    case keepConfirmedRecord = 1
    case programAgain = 2
    case freshNumbers = 3
    case confirmedByWriting = 4
    case rolledBackIsBelowConfirmed = 5
    case confirmedUnderTheLock = 6
    case readAgain = 7
    case guardPage = 8
    /// The first half of rule 6: under the lock, the card's state is compared with the state on
    /// which the decision about the request was based.
    case comparisonUnderTheLock = 9
    /// The second half of rule 6: the slot for the next record is chosen under the lock.
    case slotUnderTheLock = 10
    /// A response reports the operations that the tap resolved.
    case resolvedIsReported = 21
    /// An open operation with a request's ID is finished only if it matches the request.
    case parametersAtTheTag = 22
    /// The ID of a request for a new card is bound to all parameters of that request.
    case requestBelongsToItsID = 23
    /// A payout is reported as successful only to a client that gives its ID.
    case payoutIsReportedOnce = 24
    /// Only one operation at a time uses a shared reader.
    case oneOperationAtTheReader = 25
    /// A card that stays on the reader is charged only once, unless someone confirms another
    /// charge.
    case oncePerVisit = 26
    /// If the station did not see a card arrive, it looks up earlier requests for the card in the
    /// ledger.
    case unseenCardIsLookedUp = 27
    /// A repeated request does not begin an operation.
    case repetitionBeginsNothing = 28
    /// A request is never carried out once its client was told that it would not be.
    case withdrawnIsNotBegun = 29
    /// An armed sale is paid only by a card that arrives after arming, on a reader that was empty.
    case onlyArrivingCardPays = 71
    /// A sale that was changed is never armed, even if the request to arm it arrives later.
    case withdrawnStaysDisarmed = 72
    /// An armed sale ends after a time.
    case armedSaleExpires = 73
    /// A sale without a card is undone only once.
    case saleIsUndoneOnce = 74
    /// The lines of a sale without a card add up to its amount.
    case linesAddUp = 75
    /// A station has at most one open shift.
    case oneOpenShift = 76
    /// The expected cash of a shift is its float and the sum of its entries on the drawer.
    case expectedCashIsComplete = 77
    case nothingFromBlockedCards = 11
    case nothingUnderRetiredKeys = 12
    case nothingIntoAnotherFile = 13
    /// The grant is written to a chip before the state that depends on it.
    case grantFirst = 51
    /// The key needed to continue an interrupted key change is changed last.
    case applicationKeyLast = 52
    /// A new state overwrites the oldest one.
    case oldestState = 53
    /// While a chip's keys are being changed, the chip says which key it has. No key is guessed.
    case noKeyGuessed = 54
    /// A write counts as done only if the MAC on the chip's response proves it.
    case answerIsProved = 55
    /// The total granted never decreases.
    case grantNeverFalls = 56
    /// A new connection to a database shows only data that the replica has.
    case fence = 31
    /// The outcome of a commit is unknown if the server sent a warning.
    case warningIsUnknown = 32
    /// Only the command tag COMMIT confirms a commit.
    case onlyCommitTagConfirms = 33
    /// A station never cancels a commit.
    case noCancel = 34
    /// The rows on which the decision about a change was based stay locked until the change is
    /// written.
    case oneTransaction = 35
    /// Each station has its own rows for the issuer's accounts.
    case issuerRowsOfStations = 36
    /// An operation's ID belongs to only one card.
    case idsAreUnique = 37
    /// After a loss of data, numbers that may already be on a tag are skipped.
    case skippedNumbers = 38
    /// A card is changed only if it is still in the state that was read.
    case cardVersion = 39
    /// A batch is not executed after its station has given up on it.
    case deadline = 40
    /// Every transaction checks whether the ledger is open on this server.
    case guardian = 41
    /// A station checks that the ledger still has the last operation that was confirmed to it.
    case lastConfirmed = 42
    /// Before a station looks up an operation that it has given up on, it waits until the operation
    /// has ended.
    case givenUpHasEnded = 43

    /// Once a station has reported a payment as not done, it never takes a payment with the same
    /// ID, not even offline.
    case notDoneIsFinal = 61
    /// An offline payment counts as booked only if an operation books this very payment.
    case onlyItsOwnBooking = 62

    /// An agent executes a batch only if the tag is still selected by the command that it names.
    case batchBelongsToSelection = 81
    /// An agent carries out a command at most once.
    case commandIsDoneOnce = 82
    /// A server accepts an agent's messages only if they belong to the till's latest attachment.
    case onlyCurrentAttachment = 83

    #if LEAVE_RULES_OUT
    /// The rule that is turned off. It is local to a task, so that several rules can be tested in
    /// parallel.
    @usableFromInline
    package static let leftOut: TaskLocal<SafetyRule?>? = TaskLocal(wrappedValue: nil)
    #else
    /// Always `nil`. Without LEAVE_RULES_OUT, no rule can be turned off.
    @_alwaysEmitIntoClient
    package static var leftOut: TaskLocal<SafetyRule?>? { nil }
    #endif

    @_alwaysEmitIntoClient
    package var isDisabled: Bool { SafetyRule.leftOut?.get() == self }
}
