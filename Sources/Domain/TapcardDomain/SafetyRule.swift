/// A safety rule: 1 to 13 and 51 to 62 are described in docs/EXACTLY-ONCE.md, the others below. A
/// `make mutants` build can switch off one rule to prove that a test fails without it. In every
/// other build the check is a constant, so the optimiser removes the code for running without the
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
    /// The two halves of rule 6: the state by which a request was judged is compared under the
    /// lock, and the place of the next record is taken from there.
    case comparisonUnderTheLock = 9
    case placeUnderTheLock = 10
    /// An answer reports what its tap has resolved.
    case resolvedIsTold = 21
    /// An open operation under a request's id is finished only if it matches the request.
    case parametersAtTheTag = 22
    /// The id of a making stands for all parameters of the request.
    case requestBelongsToItsID = 23
    /// A payout is reported as booked only to a client that asks under its id.
    case payoutIsToldOnce = 24
    /// One operation at a time uses a shared reader.
    case oneOperationAtTheReader = 25
    /// A card that stays on the reader is charged once, unless somebody says so again.
    case oncePerVisit = 26
    /// For a card that nobody saw arrive, the ledger is asked what it had before.
    case unseenCardIsAskedAbout = 27
    /// A repeated request begins nothing.
    case repetitionBeginsNothing = 28
    /// What a client was told would not happen does not happen.
    case withdrawnIsNotBegun = 29
    case nothingFromBlockedCards = 11
    case nothingUnderRetiredKeys = 12
    case nothingIntoAnotherFile = 13
    /// The grant goes onto a chip before the state that needs it.
    case grantFirst = 51
    /// The key that can continue an interrupted change of keys is changed last.
    case applicationKeyLast = 52
    /// A new state goes over the oldest one.
    case oldestState = 53
    /// While its keys change, a chip is asked which key it has; none is tried.
    case noKeyGuessed = 54
    /// A write has happened if the code of its answer proves it.
    case answerIsProved = 55
    /// The sum of what was granted never falls.
    case grantNeverFalls = 56
    /// A new connection to a database shows nothing that the replica lacks.
    case fence = 31
    /// A commit with a warning may be lost.
    case warningIsUnknown = 32
    /// A commit is answered by COMMIT and nothing else.
    case commitIsAnsweredSo = 33
    /// A station cancels no request.
    case noCancel = 34
    /// The rows by which a change was judged stay locked until it is written.
    case oneTransaction = 35
    /// Each station has its own rows for the issuer's accounts.
    case issuerRowsOfStations = 36
    /// An id belongs to one card.
    case idsAreUnique = 37
    /// After a loss no number is used that may be on a tag.
    case skippedNumbers = 38
    /// A card is changed as it was read, or not at all.
    case cardVersion = 39
    /// A batch is not carried out after its station has given it up.
    case deadline = 40
    /// Every transaction asks whether the ledger is open on this server.
    case guardian = 41
    /// A station asks for the last operation that was confirmed to it.
    case lastConfirmed = 42
    /// A station looks up what it has given up once that has ended.
    case givenUpHasEnded = 43

    /// A payment that a station called not done is never taken under its id, offline either.
    case notDoneStaysSo = 61
    /// An offline payment is taken for booked only where an operation books it.
    case onlyItsOwnBooking = 62

    #if LEAVE_RULES_OUT
    /// The rule that is left out, local to a task, so that several can be tried at once.
    @usableFromInline
    package static let leftOut: TaskLocal<SafetyRule?>? = TaskLocal(wrappedValue: nil)
    #else
    /// Always `nil` in builds without LEAVE_RULES_OUT, which cannot switch rules off.
    @_alwaysEmitIntoClient
    package static var leftOut: TaskLocal<SafetyRule?>? { nil }
    #endif

    @_alwaysEmitIntoClient
    package var isLeftOut: Bool { SafetyRule.leftOut?.get() == self }
}
