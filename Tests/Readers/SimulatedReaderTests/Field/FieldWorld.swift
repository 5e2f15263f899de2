import SimulatedReader
import Tags
import Testing

/// The tags that the tests put on the simulated reader.
enum FieldWorld {
    static let uid: [UInt8] = [0x04, 0xAC, 0x6B, 0x72, 0xBA, 0x6C, 0x80]
    static let otherUID: [UInt8] = [0x04, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66]

    static func tag(_ chip: Type2Chip = .ntag213, uid: [UInt8] = uid) throws -> TagMemory {
        try #require(TagMemory.blank(chip, uid: uid))
    }

    /// One tag, on the reader.
    static func oneTag(_ chip: Type2Chip = .ntag213) throws -> Simulation {
        Simulation([try tag(chip)], onReader: [uid])
    }

    /// Two tags, the second of them on the reader.
    static func twoTags() throws -> Simulation {
        Simulation([try tag(), try tag(.ntag215, uid: otherUID)], onReader: [otherUID])
    }

    /// A fault of each kind, with every way in which a page can be torn.
    static let kinds: [Fault.Kind] =
        [
            .lost, .acknowledgeLost, .pulledAfter, .garbled, .late, .refused(0), .refused(9),
            .killedBefore, .killedAfter,
        ] + tornPages.map(Fault.Kind.torn)

    static let tornPages: [TornPage] = [
        .unchanged, .new, .zero, .mix(seed: 0), .mix(seed: .max), .lowestOnes(0), .lowestOnes(32),
        .highestOnes(5), .erasedToLowestOnes(1), .erasedToHighestOnes(31),
        .someOnes(seed: 3), .erasedToSomeOnes(seed: .max),
    ]
}
