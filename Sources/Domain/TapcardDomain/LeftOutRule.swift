#if LEAVE_RULES_OUT
/// A rule of docs/EXACTLY-ONCE.md that this run does without, to show that its tests miss it.
///
/// In a normal build nothing of this exists; `make mutants` makes one in which it does.
public enum LeftOutRule: Int, Sendable, CaseIterable {
    case keepConfirmedRecord = 1
    case programAgain = 2
    case freshNumbers = 3
    case confirmedByWriting = 4
    case rolledBackIsBelowConfirmed = 5
    case confirmedUnderTheLock = 6
    case lookAgain = 7
    case guardPage = 8
    /// The two halves of rule 6: what a beginning was judged by is compared under the lock, and the
    /// place of the next record is taken from there.
    case comparisonUnderTheLock = 9
    case placeUnderTheLock = 10
    /// What a tap has settled is in its answer.
    case settledIsTold = 21
    /// What is open under a request's id is only finished where it is what is asked for.
    case parametersAtTheTag = 22
    /// All of what a card was ordered to be belongs to the id of its making.
    case orderBelongsToItsID = 23
    /// A prize that was paid out is not told to be booked to whoever asks without its id.
    case payoutIsToldOnce = 24
    /// One operation at a time uses a shared reader.
    case oneOperationAtTheReader = 25
    case nothingFromBlockedCards = 11
    case nothingUnderRetiredKeys = 12
    case nothingIntoAnotherFile = 13

    /// The one that is left out; a task's own, so that several can be tried at once.
    @TaskLocal public static var current: LeftOutRule?
}
#endif
