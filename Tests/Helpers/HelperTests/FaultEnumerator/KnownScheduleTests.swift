import FaultEnumerator
import Testing

/// They are too long to be found anew in every run.
@Suite("Schedules that once broke an invariant")
struct KnownScheduleTests {
    @Test(
        "A schedule that once broke an invariant no longer breaks one",
        arguments: [
            // Activations: begun, with and without an answer, then the tag and the ledger refuse.
            718_615_893_533_130_767, 766_467_369_696_690_191,
            // No answer to a confirmation, three times; what phones read was old and called current.
            958_717_665_096_564_751, 623_757_331_721_814_016, 623_757_331_721_814_019,
            815_163_236_507_385_862, 623_757_331_721_814_056,
        ] as [UInt128])
    func replay(_ number: UInt128) async throws {
        let replay = try #require(await Replay.tell(number))
        #expect(replay.broken.isEmpty, "\(replay.lines.joined(separator: "\n"))")
    }
}
