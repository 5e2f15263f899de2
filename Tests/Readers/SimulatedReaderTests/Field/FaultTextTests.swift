import SimulatedReader
import Testing

@Suite("The text of a fault")
struct FaultTextTests {
    @Test(
        "Every fault is read back from its text", arguments: FieldWorld.kinds,
        Fault.Counted.allCases)
    func roundTrip(kind: Fault.Kind, counted: Fault.Counted) throws {
        for countdown in [1, 2, 1_000, .max] {
            let fault = Fault(at: countdown, counting: counted, kind)
            #expect(Fault(fault.description) == fault)
        }
    }

    @Test(
        "Each fault has one spelling",
        arguments: [
            (Fault(at: 3, counting: .write, .torn(.mix(seed: 42))), "write 3 torn mix 42"),
            (Fault(at: 1, counting: .frame, .lost), "frame 1 lost"),
            (Fault(at: 1, counting: .write, .acknowledgeLost), "write 1 acknowledge-lost"),
            (Fault(at: 1, counting: .write, .pulledAfter), "write 1 pulled-after"),
            (Fault(at: 1, counting: .write, .garbled), "write 1 garbled"),
            (Fault(at: 1, counting: .write, .late), "write 1 late"),
            (Fault(at: 1, counting: .write, .refused(5)), "write 1 refused 5"),
            (Fault(at: 1, counting: .write, .torn(.someOnes(seed: 7))), "write 1 torn new-some 7"),
            (
                Fault(at: 1, counting: .write, .torn(.erasedToSomeOnes(seed: 7))),
                "write 1 torn old-some 7"
            ),
            (Fault(at: 1, counting: .write, .killedBefore), "write 1 killed-before"),
            (Fault(at: 1, counting: .write, .killedAfter), "write 1 killed-after"),
            (Fault(at: 1, counting: .write, .torn(.unchanged)), "write 1 torn old"),
            (Fault(at: 1, counting: .write, .torn(.new)), "write 1 torn new"),
            (Fault(at: 1, counting: .write, .torn(.zero)), "write 1 torn zero"),
            (Fault(at: 1, counting: .write, .torn(.lowestOnes(4))), "write 1 torn new-lowest 4"),
            (Fault(at: 1, counting: .write, .torn(.highestOnes(4))), "write 1 torn new-highest 4"),
            (
                Fault(at: 1, counting: .write, .torn(.erasedToLowestOnes(4))),
                "write 1 torn old-lowest 4"
            ),
            (
                Fault(at: 1, counting: .write, .torn(.erasedToHighestOnes(4))),
                "write 1 torn old-highest 4"
            ),
        ])
    func spelling(fault: Fault, text: String) {
        #expect(fault.description == text)
        #expect(Fault(text) == fault)
    }

    @Test(
        "Text that is not a fault is refused",
        arguments: [
            "", " ", "none", "write", "write 3", "3 lost", "write lost", "read 3 lost",
            "Write 3 lost", "write 0 lost", "write -1 lost", "write +3 lost", "write 03 lost",
            "write x lost", "write 9223372036854775808 lost", "write 3 lost now", "write  3 lost",
            " write 3 lost", "write 3 lost ", "write 3\tlost", "write 3 lost\n", "write 3 Lost",
            "write 3 refused", "write 3 refused 10", "write 3 refused -1", "write 3 refused x",
            "write 3 refused 5 5", "write 3 refused 05", "write 3 garbled 1", "write 3 killed",
            "write 3 killed-before 1", "write 3 torn", "write 3 torn half", "write 3 torn old 1",
            "write 3 torn new 1", "write 3 torn zero 0", "write 3 torn mix", "write 3 torn mix x",
            "write 3 torn mix -1", "write 3 torn mix 18446744073709551616",
            "write 3 torn mix 1 2", "write 3 torn new-lowest", "write 3 torn new-lowest 33",
            "write 3 torn new-highest -1", "write 3 torn old-lowest x",
            "write 3 torn old-highest 99999999999999999999", "write 3 torn old-highest 1 1",
        ])
    func refuses(text: String) {
        #expect(Fault(text) == nil)
    }
}
