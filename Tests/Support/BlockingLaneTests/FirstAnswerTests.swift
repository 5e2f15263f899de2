import BlockingLane
import Dispatch
import Testing

@Suite("The first answer of several") struct FirstAnswerTests {
    private struct Refused: Error, Equatable { let place: Int }

    /// Asks on a separate thread, because asking blocks.
    private static func first(
        of count: Int, headStart: Duration = .milliseconds(1), within limit: Duration? = nil,
        abandon: @escaping @Sendable (Int) -> Void = { _ in },
        ask: @escaping @Sendable (Int) -> Result<Int, any Error>
    ) async -> FirstAnswer<Int, any Error> {
        await Doorway(BlockingLane(label: "test.asking")).run {
            FirstAnswer(
                of: count, headStart: headStart, within: limit, abandon: abandon, ask: ask)
        }
    }

    @Test("Silent sources are passed over, and their late answers are abandoned")
    func passesSilentOnesAndGivesTheirAnswersAway() async {
        let (silence, abandoned) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let late = Guarded<Set<Int>>([])
        let answer = await Self.first(of: 3) { value in
            late.withLock { _ = $0.insert(value) }
            abandoned.signal()
        } ask: { place in
            if place < 2 { silence.wait() }
            return .success(place)
        }
        guard case .found(2) = answer else {
            Issue.record("\(answer)")
            return
        }
        await Doorway(BlockingLane(label: "test.late")).run {
            for _ in 0..<2 { silence.signal() }
            for _ in 0..<2 { abandoned.wait() }
        }
        #expect(late.withLock { $0 } == [0, 1])
    }

    /// The failure of the first one ends the wait before the second one is asked.
    @Test("After a failure, the next source is asked at once")
    func goesOnAtOnceAfterAFailure() async {
        let answer = await Self.first(of: 2, headStart: .seconds(86_400)) { place in
            place == 0 ? .failure(Refused(place: place)) : .success(place)
        }
        guard case .found(1) = answer else {
            Issue.record("\(answer)")
            return
        }
    }

    @Test("If all sources fail, each failure is reported")
    func namesEachFailure() async {
        let answer = await Self.first(of: 3) { .failure(Refused(place: $0)) }
        guard case .none(let failures) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(failures.map { ($0 as? Refused)?.place } == [0, 1, 2])
    }

    @Test("Asking ends at its time limit if all sources are silent")
    func endsWhereAllAreSilent() async {
        let silence = DispatchSemaphore(value: 0)
        let answer = await Self.first(of: 2, within: .milliseconds(20)) { place in
            silence.wait()
            return .success(place)
        }
        for _ in 0..<2 { silence.signal() }
        guard case .none(let failures) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(failures.allSatisfy { $0 == nil })
    }
}
