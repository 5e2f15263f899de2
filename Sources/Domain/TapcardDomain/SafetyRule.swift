/// A safety rule: 1 to 13 and 51 to 62 are described in docs/EXACTLY-ONCE.md, the others below. A
/// `make mutants` build can switch off one rule to prove that a test fails without it. In every
/// other build the check is a constant, so the optimizer removes the code for running without the
/// rule.
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
    /// The two halves of rule 6: the state on which the decision about a request was based is
    /// compared under the lock, and that is also where the place for the next record comes from.
    case comparisonUnderTheLock = 9
    case placeUnderTheLock = 10
    /// An answer reports what the tap has resolved.
    case resolvedIsTold = 21
    /// An open operation under a request's id is finished only if it matches the request.
    case parametersAtTheTag = 22
    /// The id of a request to make a card stands for all parameters of that request.
    case requestBelongsToItsID = 23
    /// A payout is reported as booked only to a client that asks about it by its id.
    case payoutIsToldOnce = 24
    /// A shared reader is used by one operation at a time.
    case oneOperationAtTheReader = 25
    /// A card that stays on the reader is charged only once, unless someone asks for another
    /// charge.
    case oncePerVisit = 26
    /// For a card that no one saw arrive, the ledger is asked what was done with it before.
    case unseenCardIsAskedAbout = 27
    /// A repeated request does not start anything.
    case repetitionBeginsNothing = 28
    /// If a client was told that something will not happen, it does not happen.
    case withdrawnIsNotBegun = 29
    case nothingFromBlockedCards = 11
    case nothingUnderRetiredKeys = 12
    case nothingIntoAnotherFile = 13
    /// The grant is written to a chip before the state that needs it.
    case grantFirst = 51
    /// The key that allows an interrupted key change to be continued is changed last.
    case applicationKeyLast = 52
    /// A new state overwrites the oldest one.
    case oldestState = 53
    /// While its keys are being changed, a chip is asked which key it has; no key is tried.
    case noKeyGuessed = 54
    /// A write has happened if the MAC on the answer proves it.
    case answerIsProved = 55
    /// The sum granted never decreases.
    case grantNeverFalls = 56
    /// A new connection to a database does not reveal anything that the replica lacks.
    case fence = 31
    /// A commit that produced a warning may be lost.
    case warningIsUnknown = 32
    /// Only COMMIT counts as confirmation of a commit.
    case commitIsAnsweredSo = 33
    /// A station never cancels a request.
    case noCancel = 34
    /// The rows on which the decision about a change was based stay locked until the change is
    /// written.
    case oneTransaction = 35
    /// Each station has its own rows for the issuer's accounts.
    case issuerRowsOfStations = 36
    /// An id belongs to only one card.
    case idsAreUnique = 37
    /// After a loss, no number is used that may already be on a tag.
    case skippedNumbers = 38
    /// A card is changed only if it is still as it was read; otherwise it is not changed at all.
    case cardVersion = 39
    /// A batch is not carried out after its station has given up on it.
    case deadline = 40
    /// Every transaction checks whether the ledger is open on this server.
    case guardian = 41
    /// A station asks about the last operation that was confirmed to it.
    case lastConfirmed = 42
    /// A station looks up an operation that it has given up on, once that operation has ended.
    case givenUpHasEnded = 43

    /// A payment that a station reported as not done is never taken under its id, not even offline.
    case notDoneStaysSo = 61
    /// An offline payment counts as booked only if an operation books it.
    case onlyItsOwnBooking = 62

    #if LEAVE_RULES_OUT
    /// The rule that is switched off, local to a task, so that several can be tried at once.
    @usableFromInline
    package static let leftOut: TaskLocal<SafetyRule?>? = TaskLocal(wrappedValue: nil)
    #else
    /// Always `nil` in builds without LEAVE_RULES_OUT, in which rules cannot be switched off.
    @_alwaysEmitIntoClient
    package static var leftOut: TaskLocal<SafetyRule?>? { nil }
    #endif

    @_alwaysEmitIntoClient
    package var isLeftOut: Bool { SafetyRule.leftOut?.get() == self }
}
