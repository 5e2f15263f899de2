import Tags
import Testing

@Suite("Commands to a Type 2 tag") struct Type2CommandTests {
    static let vectors: [(Type2Command, [UInt8], Int)] = [
        (.getVersion, [0x60], 8),
        (.read(0x2C), [0x30, 0x2C], 16),
        (.fastRead(0x04, 0x27), [0x3A, 0x04, 0x27], 144),
        (.fastRead(0x07, 0x07), [0x3A, 0x07, 0x07], 4),
        (.fastRead(0x00, 0xFF), [0x3A, 0x00, 0xFF], 1024),
        (.write(0x09, Page(1, 2, 3, 4)), [0xA2, 0x09, 1, 2, 3, 4], 0),
        (.compatibilityWrite(0x09), [0xA0, 0x09], 0),
        (.readCounter(2), [0x39, 0x02], 3),
        (.authenticate([1, 2, 3, 4]), [0x1B, 1, 2, 3, 4], 2),
        (.readSignature, [0x3C, 0x00], 32),
        (.halt, [0x50, 0x00], 0),
    ]

    @Test("Each Type 2 command survives a round trip through its frame", arguments: vectors)
    func isItsFrame(_ command: Type2Command, _ frame: [UInt8], _ answer: Int) throws {
        #expect(command.frame == frame)
        #expect(try Type2Command(frame: frame) == command)
    }

    @Test("A Type 2 command of the wrong length is refused", arguments: vectors)
    func refusesEveryOtherLength(_ command: Type2Command, _ frame: [UInt8], _ answer: Int) {
        for length in 1..<frame.count {
            #expect(throws: Type2Error(.wrongFrameLength)) {
                try Type2Command(frame: Array(frame.prefix(length)))
            }
        }
        for excess in 1...32 {
            #expect(throws: Type2Error(.wrongFrameLength)) {
                try Type2Command(frame: frame + [UInt8](repeating: 0, count: excess))
            }
        }
    }

    @Test("An unknown opcode is refused")
    func refusesEveryOtherOpcode() {
        let known = Set(Self.vectors.map { $0.1[0] })
        for opcode in UInt8.min...UInt8.max where !known.contains(opcode) {
            #expect(throws: Type2Error(.unknownCommand)) { try Type2Command(frame: [opcode, 0]) }
        }
        #expect(throws: Type2Error(.unknownCommand)) { try Type2Command(frame: []) }
    }

    @Test(
        "A command with an unknown argument is refused",
        arguments: [[0x39, 0x03], [0x39, 0xFF], [0x3C, 0x01], [0x50, 0x01]] as [[UInt8]])
    func refusesAnotherArgument(_ frame: [UInt8]) {
        #expect(throws: Type2Error(.unknownCommand)) { try Type2Command(frame: frame) }
    }

    @Test("An answer of the wrong length is refused", arguments: vectors)
    func takesAnAnswerOfItsLengthOnly(
        _ command: Type2Command, _ frame: [UInt8], _ answer: Int
    ) throws {
        let right = (0..<answer).map { UInt8(truncatingIfNeeded: $0) }
        #expect(try command.checked(right) == right)
        for length in Array(0..<answer) + [answer + 1, answer + 4] {
            #expect(throws: Type2Error(.wrongAnswerLength)) {
                try command.checked([UInt8](repeating: 0, count: length))
            }
        }
    }

    @Test("No answer to a backward FAST_READ is accepted", arguments: [0, 4, 8])
    func takesNoAnswerToABackwardRead(_ length: Int) {
        #expect(throws: Type2Error(.wrongAnswerLength)) {
            try Type2Command.fastRead(5, 4).checked([UInt8](repeating: 0, count: length))
        }
    }

    @Test("A tag error is described by its detail and equal by its kind")
    func namesTheReasonOfARefusal() {
        let error = Type2Error(.wrongFrameLength, "command read was sent with 1 instead of 2 bytes")
        #expect(error == Type2Error(.wrongFrameLength))
        #expect(error != Type2Error(.unknownCommand, error.detail))
        #expect(error.description == "command read was sent with 1 instead of 2 bytes")
        #expect(throws: error) { try Type2Command(frame: [0x30]) }
        #expect(Type2Error(.tooLong).description == "the bytes are not valid for this tag")
    }
}
