import PCSCReader
import Tags

/// The answers of a PC/SC reader in each dialect: every call ends and returns what the reader said.
func checkReaderAnswers(_ input: [UInt8]) throws {
    var choices = Choices(input)
    let manners: [any TagProtocol] = [DirectTransmit(), TransparentExchange(), StorageCommands()]
    let manner = manners[Int(choices.byte()) % manners.count]
    let answerToReset = choices.bytes(20)
    if let kind = StorageCardATR(answerToReset) { _ = kind.isType2 }
    if let objects = try? DataObject.parse(input) {
        let sum = objects.reduce(0) { $0 + $1.content.count }
        try require(sum < max(1, input.count), "objects of more bytes than there are")
    }
    var sent = 0
    var heard: [[UInt8]] = []
    func transmit(_ command: [UInt8]) throws(ReaderError) -> [UInt8] {
        sent += 1
        let answer = try answer(to: command)
        heard.append(answer)
        return answer
    }
    func answer(to command: [UInt8]) throws(ReaderError) -> [UInt8] {
        switch choices.byte() {
        case 0: throw ReaderError(.tagLost)
        case 1: throw ReaderError(.readerLost)
        // Answers of the right form get further.
        case 2: return choices.field() + [0x90, 0x00]
        case 3:
            return [0xD5, command.dropFirst(6).first.map { $0 &+ 1 } ?? 0] + choices.field()
                + [0x90, 0x00]
        case 4:
            return [0xC0, 0x03, 0x00, 0x90, 0x00] + object(RadioCRC.appended(to: choices.field()))
                + [0x90, 0x00]
        case 5: return [0xC0, 0x03, 0x00, 0x90, 0x00] + object(choices.field()) + [0x90, 0x00]
        case 6: return [0xD5, 0x43, 0x00] + RadioCRC.appended(to: choices.field()) + [0x90, 0x00]
        default: return choices.field()
        }
    }
    func object(_ content: [UInt8]) -> [UInt8] {
        [0x97, 0x82, UInt8(content.count >> 8), UInt8(truncatingIfNeeded: content.count)] + content
    }
    _ = try? manner.prepare(transmit)
    if let found = try? manner.select(answerToReset: answerToReset, transmit) {
        try require(found.uid.count <= 260, "a number of \(found.uid.count) bytes")
    }
    for frame in [[0x30, 0x00], [0x3A, 0x04, 0x27], [0xA2, 0x04, 1, 2, 3, 4], [0x60]] as [[UInt8]] {
        heard = []
        guard let answer = try? manner.exchange(frame, transmit) else { continue }
        try require(
            manner is StorageCommands
                ? isRead(answer, frame, heard) : isReceived(answer, heard),
            "\(answer) was never received: \(heard)")
    }
    _ = try? manner.switchOff(transmit)
    try require(sent <= 100, "\(sent) commands for one tag")
}

/// Whether the answer came over the air with its CRC, in one piece of the reader's last answer. An
/// acknowledge has four bits.
private func isReceived(_ answer: [UInt8], _ heard: [[UInt8]]) -> Bool {
    let onAir = answer.isEmpty ? [0x0A] : RadioCRC.appended(to: answer)
    return heard.last?.contains(onAir) == true
}

/// Whether the reader read the answer: every piece of 16 bytes is one of its successful answers, in
/// order. An answer to WRITE is only the acknowledge.
private func isRead(_ answer: [UInt8], _ frame: [UInt8], _ heard: [[UInt8]]) -> Bool {
    let success: [UInt8] = [0x90, 0x00]
    guard heard.allSatisfy({ $0.suffix(2).elementsEqual(success) }) else { return false }
    let said = heard.flatMap { $0.dropLast(2) }
    let expected =
        switch (frame[0], frame.count) {
        case (0x3A, 3): 4 * (Int(frame[2]) - Int(frame[1]) + 1)
        case (0x30, 2): 16
        default: 0
        }
    return answer == said && answer.count == expected
}
