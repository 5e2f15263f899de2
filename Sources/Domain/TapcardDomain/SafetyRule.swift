/// A safety rule. A `make mutants` build can switch off one rule at a time to prove that a test
/// fails without it. In every other build, the check is a constant, so the optimizer removes the
/// code for running without the rule.
///
/// docs/EXACTLY-ONCE.md describes rules 1 to 13 and 51 to 62; the others are described below.
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
    /// The first half of rule 6: the state on which the decision about a request was based is
    /// compared under the lock.
    case comparisonUnderTheLock = 9
    /// The second half of rule 6: the slot for the next record is chosen under the lock.
    case slotUnderTheLock = 10
    /// An answer reports what the tap has resolved.
    case resolvedIsReported = 21
    /// An open operation with a request's ID is finished only if it matches the request.
    case parametersAtTheTag = 22
    /// The ID of a request for a new card is bound to all parameters of that request.
    case requestBelongsToItsID = 23
    /// A payout is reported as booked only to a client that asks for it by its ID.
    case payoutIsReportedOnce = 24
    /// Only one operation at a time uses a shared reader.
    case oneOperationAtTheReader = 25
    /// A card that stays on the reader is charged only once, unless someone asks for another
    /// charge.
    case oncePerVisit = 26
    /// If the station did not see a card arrive, it asks the ledger what was done with the card
    /// before.
    case unseenCardIsLookedUp = 27
    /// A repeated request does not start an operation.
    case repetitionBeginsNothing = 28
    /// Once a client has been told that its request will not be carried out, it never is.
    case withdrawnIsNotBegun = 29
    case nothingFromBlockedCards = 11
    case nothingUnderRetiredKeys = 12
    case nothingIntoAnotherFile = 13
    /// The grant is written to a chip before the state that depends on it.
    case grantFirst = 51
    /// The key that allows an interrupted key change to be continued is changed last.
    case applicationKeyLast = 52
    /// A new state overwrites the oldest one.
    case oldestState = 53
    /// While its keys are being changed, a chip is asked which key it has; keys are not tried out.
    case noKeyGuessed = 54
    /// A write counts as done only if the MAC of the response proves it.
    case answerIsProved = 55
    /// The sum granted never decreases.
    case grantNeverFalls = 56
    /// A new connection to a database does not show anything that the replica lacks.
    case fence = 31
    /// A commit that produced a warning may be lost.
    case warningIsUnknown = 32
    /// Only COMMIT counts as confirmation of a commit.
    case onlyCommitTagConfirms = 33
    /// A station never cancels a request.
    case noCancel = 34
    /// The rows on which the decision about a change was based stay locked until the change is
    /// written.
    case oneTransaction = 35
    /// Each station has its own rows for the issuer's accounts.
    case issuerRowsOfStations = 36
    /// An ID belongs to only one card.
    case idsAreUnique = 37
    /// After data was lost, numbers that may already be on a tag are not used.
    case skippedNumbers = 38
    /// A card is changed only if it is still in the state that was read.
    case cardVersion = 39
    /// A batch is not executed after its station has given up on it.
    case deadline = 40
    /// Every transaction checks whether the ledger is open on this server.
    case guardian = 41
    /// A station checks that the ledger still has the last operation confirmed to the station.
    case lastConfirmed = 42
    /// A station looks up an operation that it has given up on, once that operation has ended.
    case givenUpHasEnded = 43

    /// A payment that a station reported as not done is never taken with the same ID, not even
    /// offline.
    case notDoneIsFinal = 61
    /// An offline payment counts as booked only if an operation books it.
    case onlyItsOwnBooking = 62

    #if LEAVE_RULES_OUT
    /// The rule that is switched off. It is local to a task, so that several rules can be tested at
    /// once.
    @usableFromInline
    package static let leftOut: TaskLocal<SafetyRule?>? = TaskLocal(wrappedValue: nil)
    #else
    /// Always `nil` in builds without LEAVE_RULES_OUT, in which rules cannot be switched off.
    @_alwaysEmitIntoClient
    package static var leftOut: TaskLocal<SafetyRule?>? { nil }
    #endif

    @_alwaysEmitIntoClient
    package var isDisabled: Bool { SafetyRule.leftOut?.get() == self }
}
