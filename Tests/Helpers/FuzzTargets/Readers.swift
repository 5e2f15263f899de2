import LibNFCReader
import PN532Emulator
import ReaderProcess
import RemoteReader
import SimulatedReader
import Tags
import TextCodecs

extension FuzzTarget {
    static let readers = [
        FuzzTarget("pn532-frames", checkLine), FuzzTarget("control-lines", checkControlLines),
        FuzzTarget("libnfc-answers", checkChipAnswers),
        FuzzTarget("pcsc-answers", checkReaderAnswers),
        FuzzTarget("reader-process", checkMessages),
        FuzzTarget("agent-messages", checkAgentMessages),
    ]
}

/// Bytes from a host, in pieces: whatever they are, the chip answers in whole frames and
/// understands the next command.
private func checkLine(_ input: [UInt8]) throws {
    var choices = Choices(input)
    var emulation = Emulation(.fresh)
    _ = try emulation.control("add NTAG216 classic type4")
    let wakeUp: [UInt8] = [0x55, 0x55, 0x00, 0x00, 0x00, 0x00]
    _ = emulation.line.receive(wakeUp)
    while !choices.isAtEnd {
        let piece = choices.field()
        try checkFrames(emulation.line.receive(piece).flatMap(\.bytes))
        // Commands with right checksums get further than bytes that only look like a frame.
        let command = Array(choices.field().prefix(HostFrame.maximumDataLength - 1))
        let frame = HostFrame.information([0xD4] + command)
        try checkFrames(emulation.line.receive(frame).flatMap(\.bytes))
    }
    _ = emulation.line.receive([UInt8](repeating: 0, count: HostFrame.maximumDataLength + 10))
    _ = emulation.line.receive(wakeUp)
    let answer = emulation.line.receive(HostFrame.information([0xD4, 0x02])).flatMap(\.bytes)
    let version = HostFrame.information([0xD5, 0x03, 0x32, 0x01, 0x06, 0x07])
    try require(Array(answer.suffix(version.count)) == version, "the chip is deaf")
    let uids = emulation.simulation.tags.map(\.uid)
    try require(Set(uids).count == uids.count, "one number for two tags")
    for tag in emulation.simulation.tags {
        let blank = try unwrap(TagMemory.blank(tag.chip, uid: tag.uid), "no such tag")
        try require(tag[0] == blank[0] && tag[1] == blank[1], "a tag has another number")
    }
}

/// Every byte from the chip belongs to a frame with correct checksums.
private func checkFrames(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    let fixed: [[UInt8]] = [[0x00, 0x00, 0xFF, 0x00, 0xFF, 0x00], HostFrame.syntaxError]
    while !rest.isEmpty {
        if let known = fixed.first(where: rest.starts(with:)) {
            rest = rest.dropFirst(known.count)
            continue
        }
        let start = rest.startIndex
        try require(rest.starts(with: [0x00, 0x00, 0xFF]) && rest.count >= 6, "no frame")
        var (length, data) = (Int(rest[start + 3]), start + 5)
        if rest[start + 3] == 0xFF && rest[start + 4] == 0xFF {
            try require(rest.count >= 8, "a frame is cut off")
            (length, data) = (Int(rest[start + 5]) << 8 | Int(rest[start + 6]), start + 8)
        }
        try require(
            (1...HostFrame.maximumDataLength).contains(length), "a frame of \(length) bytes")
        try require(rest.endIndex >= data + length + 2, "a frame is cut off")
        let frame = HostFrame.information(Array(rest[data..<data + length]))
        try require(rest.starts(with: frame), "a frame with a wrong checksum")
        rest = rest.dropFirst(frame.count)
    }
}

/// Lines typed to the emulated reader: a refused line changes nothing.
private func checkControlLines(_ input: [UInt8]) throws {
    let mostLines = 64
    var emulation = Emulation(.fresh)
    let lines = input.split(separator: UInt8(ascii: "\n")).prefix(mostLines)
    for line in lines {
        let before = emulation.simulation
        let outcome: Emulation.Outcome
        do throws(EmulatorError) {
            outcome = try emulation.control(String(decoding: line, as: UTF8.self))
        } catch {
            try require(emulation.simulation == before, "a refused line changed something")
            try require(!error.detail.isEmpty, "a refusal without a word")
            continue
        }
        try checkFrames(outcome.output.flatMap(\.bytes))
        let answer = try JSONValue.parsing(Array(outcome.answer.text.utf8))
        try require(answer == outcome.answer, "an answer that cannot be read")
    }
}

/// The answers of a PN53x to libnfc.
private func checkChipAnswers(_ input: [UInt8]) throws {
    if let answer = try? TagAnswer(input) {
        switch answer {
        case .acknowledged: try require(input == [0x0A], "no acknowledge")
        case .refused(let code): try require(input == [code] && code != 0x0A, "no NAK")
        case .data(let data):
            try require(RadioCRC.appended(to: data) == input, "data that were not received")
        }
    }
    // Right checksums are not found by trying.
    let sealed = RadioCRC.appended(to: input)
    try require(
        input.isEmpty || (try? TagAnswer(sealed)) == .data(input), "a right answer is refused")
    if let firmware = Firmware(input) {
        try require(firmware.isPN531 || input.count == 4, "another chip")
    }
    for count in 0...2 {
        guard let values = ChipRegister.values(input, count: count) else { continue }
        try require(values.count == count, "\(values.count) registers, not \(count)")
    }
    for swaps in [false, true] {
        guard let list = try? TagList(input, swapsBytes: swaps) else { continue }
        try require(list.tags.count <= TagList.maximumTags, "too many tags")
        try require(list.tags.allSatisfy { [4, 7, 10].contains($0.uid.count) }, "a wrong UID")
    }
    let name = String(decoding: input, as: UTF8.self)
    if let connection = try? ConnectionString(name) {
        try require(connection.text == name, "another reader than was named")
    }
}

/// The messages between the program and the process around its reader.
private func checkMessages(_ input: [UInt8]) throws {
    if let request = ReaderRequest(input) {
        try require(request.message == input, "a request is another one")
    }
    if let reply = ReaderReply(input) {
        try require(reply.message == input, "a reply is another one")
    }
}

/// The messages between a server and the agent on another machine.
private func checkAgentMessages(_ input: [UInt8]) throws {
    if let greeting = AgentGreeting(input) {
        // What a later version has appended is left out.
        try require(AgentGreeting(greeting.message) == greeting, "a greeting is another one")
        try require(input.starts(with: greeting.message), "a greeting was changed")
    }
    if let poll = AgentPoll(input) { try require(poll.message == input, "a poll is another one") }
    if let report = AgentReport(input) {
        try require(report.message == input, "a report is another one")
    }
    if let answer = AgentResponse(input) {
        try require(answer.message == input, "an answer is another one")
    }
}
