package import SimulatedReader
import Tags
package import TextCodecs

/// An emulated reader without its terminal and sockets: the chip on its serial line, the cards on
/// the reader, and the control language for both.
package struct Emulation {
    /// The result of a control line.
    package struct Outcome {
        package var answer: JSONValue = ["result": "done"]
        package var output: [SerialChip.Output] = []
        /// Whether to plug the reader in (`true`) or unplug it (`false`); `nil` for neither.
        var plug: Bool?
    }

    /// The maximum length of a control line, in bytes.
    package static let maximumLineLength = 512

    package var line: SerialChip
    private(set) var isPlugged = true

    package init(_ simulation: Simulation, wakesHaltedCards: Bool = true) {
        line = SerialChip(PN532Chip(simulation, wakesHaltedCards: wakesHaltedCards))
    }

    package var simulation: Simulation {
        get { line.chip.field.simulation }
        set { line.chip.field.simulation = newValue }
    }

    mutating func setPlugged(_ isPlugged: Bool) {
        self.isPlugged = isPlugged
        line.restart()
    }

    /// Executes one line. An invalid line does not change anything.
    package mutating func control(_ text: String) throws(EmulatorError) -> Outcome {
        guard text.utf8.count <= Emulation.maximumLineLength else {
            throw EmulatorError(
                .control, "the line is longer than \(Emulation.maximumLineLength) bytes")
        }
        let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        guard let verb = words.first else { throw EmulatorError(.control, "the line is empty") }
        let rest = Array(words.dropFirst())
        var outcome = Outcome()
        switch (verb, rest.count) {
        case ("present", _): outcome.output = try present(rest, keepingOthers: false)
        case ("add", 1...): outcome.output = try present(rest, keepingOthers: true)
        case ("remove", _): try remove(rest)
        case ("fault", 1...): try arm(rest.joined(separator: " "))
        case ("stall", 0): line.stall()
        case ("resume", 0): outcome.output = line.resume()
        case ("unplug", 0): outcome.plug = false
        case ("plug", 0): outcome.plug = true
        case ("counters", 0): outcome.answer = line.counters.document
        case ("reset", 0): line.resetCounters()
        case ("status", 0): outcome.answer = status
        case ("dump", 0...1): outcome.answer = ["dump": .string(try dump(rest.first))]
        default: throw EmulatorError(.control, "\(text.debugDescription) is not a control command")
        }
        return outcome
    }

    private mutating func present(
        _ words: [String], keepingOthers: Bool
    ) throws(EmulatorError) -> [SerialChip.Output] {
        // The changes are made to a copy, so that an invalid word leaves everything unchanged.
        var world = simulation
        var uids = keepingOthers ? world.onReader : []
        var foreign = keepingOthers ? line.chip.field.foreign : []
        if words.isEmpty {
            // Without arguments, the tag that was last on the reader is put back.
            guard let last = world.lastOnReader else {
                throw EmulatorError(.control, "no tag was on the reader before")
            }
            uids = [last]
        }
        for word in words {
            if let card = ForeignCard(rawValue: word) {
                if !foreign.contains(card) { foreign.append(card) }
                continue
            }
            let uid = try resolveUID(word, &world)
            if !uids.contains(uid) { uids.append(uid) }
        }
        // Cards that stay on the reader keep their power.
        world.put(uids)
        simulation = world
        line.chip.field.foreign = foreign
        return line.fieldChanged()
    }

    /// Returns the UID of an existing tag, or of a new one.
    private func resolveUID(
        _ word: String, _ world: inout Simulation
    ) throws(EmulatorError) -> [UInt8] {
        func draw(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in UInt8.random(in: .min ... .max) }
        }
        let isChip = Simulation.isChip(typed: word)
        if let chip = Type2Chip(typed: word) {
            guard let tag = world.addTag(chip, random: draw) else {
                throw EmulatorError(.control, "the maximum number of tags has been reached")
            }
            return tag.uid
        }
        if isChip {
            guard let chip = world.addChip(random: draw) else {
                throw EmulatorError(.control, "the maximum number of tags has been reached")
            }
            return chip.number
        }
        guard let uid = Hexadecimal.decode(word), world.tag(uid) != nil || world.chip(uid) != nil
        else {
            throw EmulatorError(
                .control,
                "\(word.debugDescription) is not a chip model, classic, type4, or the UID of a "
                    + "known tag")
        }
        return uid
    }

    private mutating func remove(_ words: [String]) throws(EmulatorError) {
        var world = simulation
        var foreign = line.chip.field.foreign
        for word in words {
            if let card = ForeignCard(rawValue: word), foreign.contains(card) {
                foreign.removeAll { $0 == card }
                continue
            }
            guard let uid = Hexadecimal.decode(word), world.onReader.contains(uid) else {
                throw EmulatorError(
                    .control, "\(word.debugDescription) is not on the reader")
            }
            world.take(uid)
        }
        if words.isEmpty {
            // Without arguments, the reader is emptied.
            world.take()
            foreign = []
        }
        simulation = world
        line.chip.field.foreign = foreign
    }

    /// Arms a frame fault or a line fault; there can be at most one of each.
    private mutating func arm(_ text: String) throws(EmulatorError) {
        if text == "none" {
            simulation.fault = nil
            line.fault = nil
        } else if let fault = Fault(text), fault.kind != .killedBefore, fault.kind != .killedAfter {
            // Faults that kill a process are refused, because here they would kill the emulator
            // itself.
            simulation.fault = fault
        } else if let fault = LinkFault(text) {
            line.fault = fault
        } else {
            throw EmulatorError(.control, "\(text.debugDescription) is not a known fault")
        }
    }

    private func dump(_ word: String?) throws(EmulatorError) -> String {
        let uid = word.map { Hexadecimal.decode($0) } ?? simulation.lastOnReader
        if let uid, let chip = simulation.chip(uid) { return chip.text }
        guard let uid, let tag = simulation.tag(uid) else {
            throw EmulatorError(.control, "there is no such tag")
        }
        return TagDump(memory: tag, withSecrets: true).text
    }

    private var status: JSONValue {
        let all =
            simulation.tags.map { ($0.uid, $0.chip.name) }
            + simulation.chips.map { ($0.number, Simulation.chipName) }
        let tags = all.map { uid, name in
            JSONValue.object([
                JSONMember(key: "uid", value: .string(Hexadecimal.encode(uid))),
                JSONMember(key: "chip", value: .string(name)),
                JSONMember(key: "onReader", value: .bool(simulation.onReader.contains(uid))),
            ])
        }
        let faults = [simulation.fault?.description, line.fault?.description].compactMap(\.self)
        return [
            "plugged": .bool(isPlugged), "stalled": .bool(line.isStalled),
            "field": .bool(line.chip.field.isOn), "tags": .array(tags),
            "others": .array(line.chip.field.foreign.map { .string($0.rawValue) }),
            "faults": .array(faults.map { .string($0) }),
        ]
    }
}
