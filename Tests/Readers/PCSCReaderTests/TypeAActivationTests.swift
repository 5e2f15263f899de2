import PCSCReader
import Tags
import Testing

@Suite("Waking and selecting a type A tag")
struct TypeAActivationTests {
    static let request: [UInt8] = [0x44, 0x00]

    static func checked(_ bytes: [UInt8]) -> [UInt8] { bytes + [bytes.reduce(0, ^)] }
    static func acknowledge(_ sak: UInt8) -> [UInt8] { [sak] + RadioCRC.bytes(of: [sak]) }

    /// The answers of a tag with this number, in their order.
    static func answers(_ uid: [UInt8], sak: UInt8 = 0x00) -> [[UInt8]] {
        var answers = [request]
        var rest = uid[...]
        while rest.count > 4 {
            answers += [checked([0x88] + rest.prefix(3)), acknowledge(0x04)]
            rest = rest.dropFirst(3)
        }
        return answers + [checked(Array(rest)), acknowledge(sak)]
    }

    /// The step that follows these answers.
    static func run(_ answers: [[UInt8]?]) throws -> TypeAActivation.Step {
        var activation = TypeAActivation()
        var step = activation.begin()
        for answer in answers { step = try activation.next(after: answer) }
        return step
    }

    @Test(
        "Numbers of one, two and three levels are found",
        arguments: [
            [0x12, 0x34, 0x56, 0x78], [0x04, 0xAC, 0x6B, 0x72, 0xBA, 0x6C, 0x80],
            [0x04, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        ])
    func levels(uid: [UInt8]) throws {
        #expect(
            try Self.run(Self.answers(uid, sak: 0x20))
                == .found(TagIdentity(uid: uid, answerToRequest: 0x0044, selectAcknowledge: 0x20)))
    }

    @Test("Each frame is sent as the standard prescribes")
    func frames() throws {
        let answers = Self.answers([0x04, 0xAC, 0x6B, 0x72, 0xBA, 0x6C, 0x80])
        let steps = try (0..<answers.count).map { try Self.run(Array(answers.prefix($0))) }
        #expect(
            steps == [
                .send([0x52], lastBits: 7, hasCRC: false),
                .send([0x93, 0x20], lastBits: 0, hasCRC: false),
                .send([0x93, 0x70, 0x88, 0x04, 0xAC, 0x6B, 0x4B], lastBits: 0, hasCRC: true),
                .send([0x95, 0x20], lastBits: 0, hasCRC: false),
                .send([0x95, 0x70, 0x72, 0xBA, 0x6C, 0x80, 0x24], lastBits: 0, hasCRC: true),
            ])
    }

    @Test("A field that answers neither of two requests has no tag")
    func nobody() throws {
        #expect(try Self.run([nil]) == .send([0x52], lastBits: 7, hasCRC: false))
        #expect(try Self.run([nil, nil]) == .noTag)
        #expect(
            try Self.run([nil, Self.request]) == .send([0x93, 0x20], lastBits: 0, hasCRC: false))
    }

    @Test("A tag that falls silent during its selection counts as absent", arguments: 1..<5)
    func fallsSilent(after count: Int) throws {
        var answers: [[UInt8]?] = Self.answers([0x04, 0xAC, 0x6B, 0x72, 0xBA, 0x6C, 0x80])
        answers[count...] = [nil]
        #expect(try Self.run(answers) == .noTag)
    }

    @Test("An answer cut off anywhere is refused", arguments: 0..<5)
    func cutOff(at index: Int) {
        let answers = Self.answers([0x04, 0xAC, 0x6B, 0x72, 0xBA, 0x6C, 0x80])
        for count in 0..<answers[index].count {
            let cut = Array(answers[index].prefix(count))
            // One byte of four bits is what refuses a frame; it is not a SAK either.
            let isRefusal = index.isMultiple(of: 2) && index > 0 && count == 1
            #expect(
                throws: isRefusal ? ReaderError(.refused(cut[0])) : ReaderError(.garbled),
                "\(count) bytes"
            ) { try Self.run(Array(answers.prefix(index)) + [cut]) }
        }
    }

    @Test("An answer that is too long is refused", arguments: 0..<5)
    func tooLong(at index: Int) {
        let answers = Self.answers([0x04, 0xAC, 0x6B, 0x72, 0xBA, 0x6C, 0x80])
        #expect(throws: ReaderError(.garbled)) {
            try Self.run(Array(answers.prefix(index)) + [answers[index] + [0x00]])
        }
    }

    @Test("A wrong bit in a number or an acknowledge is refused", arguments: 1..<5)
    func wrongBit(at index: Int) {
        let answers = Self.answers([0x04, 0xAC, 0x6B, 0x72, 0xBA, 0x6C, 0x80])
        for bit in 0..<answers[index].count * 8 {
            var wrong = answers[index]
            wrong[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: ReaderError(.garbled), "bit \(bit)") {
                try Self.run(Array(answers.prefix(index)) + [wrong])
            }
        }
    }

    @Test("A SAK of two bytes is refused despite its correct CRC")
    func longAcknowledge() {
        let answers = Self.answers([0x12, 0x34, 0x56, 0x78]).dropLast()
        #expect(throws: ReaderError(.garbled)) {
            try Self.run(answers + [[0x00, 0x00] + RadioCRC.bytes(of: [0x00, 0x00])])
        }
    }

    @Test("A SAK that contradicts the length of the number is refused")
    func contradiction() {
        let whole = Self.checked([0x12, 0x34, 0x56, 0x78])
        #expect(throws: ReaderError(.garbled)) {
            try Self.run([Self.request, whole, Self.acknowledge(0x04)])
        }
        let part = Self.checked([0x88, 0x04, 0xAC, 0x6B])
        #expect(throws: ReaderError(.garbled)) {
            try Self.run([Self.request, part, Self.acknowledge(0x00)])
        }
    }

    @Test("A number that never ends is refused after three levels")
    func endless() {
        let part = Self.checked([0x88, 0x01, 0x02, 0x03])
        let level = [part, Self.acknowledge(0x04)]
        #expect(throws: ReaderError(.garbled)) {
            try Self.run([Self.request] + level + level + level)
        }
    }
}
