package import SimulatedReader
import Tags

/// The reader's field and the cards in it. It accepts frames and returns responses.
package struct RadioField {
    private static let haltCommand = Type2Command.halt.frame
    /// The bits that are flipped in the last byte of a response to damage it.
    private static let damageMask: UInt8 = 0x5A

    /// The tags, which of them are on the reader, and the frame fault.
    package var simulation: Simulation { didSet { refresh() } }
    /// The other cards in the field.
    package var foreign: [ForeignCard] = [] { didSet { refresh() } }
    package private(set) var isOn = false
    private(set) var radioFrames = 0
    private(set) var writes = 0
    private(set) var powerUps = 0
    private(set) var airNanoseconds = 0
    private var cards: [PoweredCard] = []

    init(_ simulation: Simulation) { self.simulation = simulation }

    mutating func setPower(_ isOn: Bool) {
        self.isOn = isOn
        refresh()
    }

    mutating func resetCounters() {
        (radioFrames, writes, powerUps, airNanoseconds) = (0, 0, 0, 0)
    }

    /// Powers up cards that were put into the field, and cuts the power to cards that were removed.
    private mutating func refresh() {
        let onReader = isOn ? simulation.onReader : []
        let others = isOn ? foreign : []
        cards.removeAll { card in
            !onReader.contains(card.number) && !others.contains { $0.number == card.number }
        }
        // Cards that stayed keep their power and their state, so only new cards are added.
        for uid in onReader where !isPowered(uid) {
            if let tag = simulation.tag(uid) {
                cards.append(PoweredCard(tag))
            } else if let chip = simulation.chip(uid) {
                cards.append(PoweredCard(chip))
            } else {
                continue
            }
            powerUps += 1
        }
        for card in others where !isPowered(card.number) { cards.append(PoweredCard(card)) }
    }

    private func isPowered(_ number: [UInt8]) -> Bool { cards.contains { $0.number == number } }

    /// The selection state of the card with this UID; `nil` if the card has no power.
    func activation(of number: [UInt8]) -> TypeACardSelection? {
        cards.first { $0.number == number }?.activation
    }

    /// The part of the UID that is sent at this level by the first card waiting to be selected
    /// there.
    func firstReady(_ level: Int) -> [UInt8]? {
        cards.lazy.map(\.activation).first { $0.state == .ready(level: level) }
            .map { TypeACardSelection.cascade($0.uid)[level] }
    }

    /// Sends a type A frame at 106 kbit/s, including its checksum.
    mutating func send(_ frame: RadioFrame) -> RadioAnswer {
        radioFrames += 1
        airNanoseconds += AirTime.command(frame)
        guard isOn else { return .silence }
        // A fault may remove a card during the loop, so the UIDs are collected first.
        let answers = cards.map(\.number).compactMap { answer(of: $0, to: frame) }
        guard let first = answers.first else { return .silence }
        airNanoseconds += AirTime.answer(first)
        let isRequest = frame == TypeACardSelection.request || frame == TypeACardSelection.wakeUp
        if isRequest { return .frame(RadioField.merged(answers)) }
        // All cards respond at the same time, so different responses collide.
        return answers.allSatisfy { $0 == first } ? .frame(first) : .collision
    }

    /// The combined response to a request. All cards send this two-byte response at the same time,
    /// so the reader receives the bits of all of them.
    private static func merged(_ answers: [RadioFrame]) -> RadioFrame {
        RadioFrame(
            bytes: (0..<2).map { index in answers.reduce(0) { $0 | $1.bytes[index] } })
    }

    private mutating func answer(of number: [UInt8], to frame: RadioFrame) -> RadioFrame? {
        guard let index = cards.firstIndex(where: { $0.number == number }) else { return nil }
        switch cards[index].activation.receive(frame) {
        case .silent: return nil
        case .answer(let answer):
            if cards[index].activation.state == .active { select(index) }
            return answer
        case .pass: return pass(frame.bytes, to: index)
        }
    }

    private mutating func select(_ index: Int) {
        guard case .type2(var side) = cards[index].kind,
            let tag = simulation.tag(cards[index].number)
        else { return }
        _ = side.select(tag)
        cards[index].kind = .type2(side)
    }

    private mutating func pass(_ bytes: [UInt8], to index: Int) -> RadioFrame? {
        switch cards[index].kind {
        case .foreign(let card): return card.answer(bytes, &cards[index].activation)
        case .type2(let side): return passToTag(bytes, index, side)
        case .ntag424(let chip): return passToNTAG424(bytes, index, chip)
        }
    }

    /// Passes a frame to an NTAG 424. A damaged frame gets no response, because an ISO/IEC 14443-4
    /// card ignores it and waits for the next one.
    private mutating func passToNTAG424(
        _ bytes: [UInt8], _ index: Int, _ powered: PoweredNTAG424
    ) -> RadioFrame? {
        guard let frame = RadioCRC.stripped(from: bytes) else { return nil }
        if !powered.isActivated, frame == RadioField.haltCommand {
            cards[index].activation.halt()
            return nil
        }
        let isWrite = powered.isWrite(frame)
        if isWrite { writes += 1 }
        var (world, chip) = (simulation, powered)
        let outcome = world.exchange(
            with: cards[index].number, isWrite: isWrite, isChained: powered.isChained, &chip
        ) { chip, memory in
            chip.receive(frame, &memory) { count in
                (0..<count).map { _ in UInt8.random(in: .min ... .max) }
            }
        }
        cards[index].kind = .ntag424(chip)
        if chip.isActivated {
            cards[index].activation.enterBlocks()
        } else if powered.isActivated {
            cards[index].activation.halt()
        } else {
            cards[index].activation.endSelection()
        }
        // This comes last, because it cuts the power to a card that was removed.
        defer { if world != simulation { simulation = world } }
        switch outcome {
        case .answer(let answer):
            return answer.map { RadioFrame(bytes: RadioCRC.appended(to: $0)) }
        case .garbled(let answer):
            return RadioField.damaged(RadioFrame(bytes: RadioCRC.appended(to: answer)))
        case .late, .gone, .killed: return nil
        }
    }

    private mutating func passToTag(
        _ bytes: [UInt8], _ index: Int, _ powered: TagSide
    ) -> RadioFrame? {
        let uid = cards[index].number
        var side = powered
        guard let frame = RadioCRC.stripped(from: bytes) else {
            // The empty frame is not a command, so the tag stops responding, as it does after any
            // damaged frame. Its memory does not change.
            if var copy = simulation.tag(uid) { _ = side.answer([], &copy) }
            cards[index].kind = .type2(side)
            cards[index].activation.endSelection()
            return RadioField.short(NAK.parityOrCRC)
        }
        if Simulation.isWrite(frame) { writes += 1 }
        var world = simulation
        let outcome = world.exchange(frame, with: uid, &side)
        cards[index].kind = .type2(side)
        if frame == RadioField.haltCommand { cards[index].activation.halt() }
        defer { if world != simulation { simulation = world } }
        switch outcome {
        case .reply(let reply), .killed(let reply):
            if case .nak = reply { cards[index].activation.endSelection() }
            return RadioField.frame(reply)
        case .garbled(let reply):
            if case .nak = reply { cards[index].activation.endSelection() }
            return RadioField.frame(reply).map(RadioField.damaged)
        case .late(let reply):
            if case .nak = reply { cards[index].activation.endSelection() }
            return nil
        case .gone: return nil
        }
    }

    private static func short(_ bits: UInt8) -> RadioFrame {
        RadioFrame(bytes: [bits], lastBits: 4)
    }

    private static func frame(_ reply: TagReply) -> RadioFrame? {
        let acknowledge: UInt8 = 0x0A
        return switch reply {
        case .data(let bytes): RadioFrame(bytes: RadioCRC.appended(to: bytes))
        case .ack: short(acknowledge)
        case .nak(let code): short(code)
        case .silence: nil
        }
    }

    /// A damaged copy of a frame. A damaged ACK is neither an ACK nor a NAK.
    private static func damaged(_ frame: RadioFrame) -> RadioFrame {
        var frame = frame
        let mask: UInt8 = frame.lastBits == 0 ? damageMask : 0x06
        frame.bytes[frame.bytes.count - 1] ^= mask
        return frame
    }
}
