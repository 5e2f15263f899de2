import SimulatedReader
package import Tags

/// A station's commands to the chip.
extension Live {
    /// The most bytes of a command in one block of every reader, which the chip carries out
    /// entirely or not at all.
    private static let mostInBlock = 61

    mutating func exchange(
        command: [UInt8], on reader: Int
    ) throws(ReaderError) -> [UInt8] {
        guard !dead.contains(reader) else { throw ReaderError(.readerLost) }
        let isWrite = NTAG424Side.isWrite(command)
        let mishap = begin(.command(command, isWrite: isWrite), at: reader)
        defer { keepWorld() }
        if mishap == .killedBefore { dead.insert(reader) }
        guard !dead.contains(reader) else { throw ReaderError(.readerLost) }
        guard place == reader, readers[reader].isPowered, let before = world.chip else {
            note("no card")
            throw ReaderError(.tagLost, "no card that accepts commands is selected")
        }
        steps[steps.count - 1].isHeard = true
        if mishap == .forgedAnswer {
            note("done, says somebody else")
            return [0x91, 0x00]
        }
        if isWrite, command.count > Live.mostInBlock {
            violations.append(
                Violation(.i10, "a write of \(command.count) bytes takes more than one block"))
        }
        let outcome = send(command, isWrite: isWrite, to: reader, mishap?.onRadio)
        if let after = world.chip { violations += world.chipWritten(from: before, to: after) }
        leaveIfPulled(reader, mishap)
        if mishap == .killedAfter {
            dead.insert(reader)
            throw ReaderError(.readerLost)
        }
        return try answer(outcome)
    }

    /// A record is also tried half written, although the chip's maker rules that out, because four
    /// of them must survive it. The chip counts nothing here, since counts would make worlds differ
    /// in which everything continues alike.
    private mutating func send(
        _ command: [UInt8], isWrite: Bool, to reader: Int, _ fault: Fault.Kind?
    ) -> Simulation.ChipOutcome {
        simulation.fault = fault.map { Fault(at: 1, counting: .frame, $0) }
        defer { simulation.fault = nil }
        let selection = selections
        var isWrongKey = false
        let outcome = simulation.exchange(
            with: uid, isWrite: isWrite, isChained: Live.isState(command), &readers[reader].chip
        ) { side, memory in
            // Another number after each selection: an old session must not be taken for a new one.
            let answer = side.answer(command, &memory) { count in
                (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + selection * 31 + 3) }
            }
            isWrongKey = memory.keys.contains { $0.failures > 0 }
            memory.forgetCounts()
            return answer
        }
        // Another station may have changed the keys of a card that was away.
        if isWrongKey, !mayRefuseKeys, !readers[reader].hasMissedReturn {
            violations.append(Violation(.chip, "a wrong key was tried on the chip"))
        }
        return outcome
    }

    /// Whether a command writes to the file of records; the file number is not encrypted.
    private static func isState(_ command: [UInt8]) -> Bool {
        command.count > 5 && command[1] == NTAG424Opcode.writeData.rawValue
            && command[5] == FileNumber.data.rawValue
    }

    private mutating func answer(
        _ outcome: Simulation.ChipOutcome
    ) throws(ReaderError) -> [UInt8] {
        switch outcome {
        case .answer(let bytes?):
            note("\(bytes.suffix(2).map(Step.hexadecimal).joined()), \(bytes.count - 2) bytes")
            return bytes
        case .answer(nil), .late, .killed:
            note("nothing in time")
            throw ReaderError(.timedOut)
        case .garbled:
            note("garbled")
            throw ReaderError(.garbled)
        case .gone:
            note("the card is gone")
            throw ReaderError(.tagLost)
        }
    }
}

extension NTAG424Memory {
    /// Resets the counters of reads and wrong attempts, to compare the rest of two chips.
    package mutating func forgetCounts() {
        reads = 0
        for number in KeyNumber.allCases {
            (self[number].failures, self[number].failuresInARow, self[number].delays) = (0, 0, 0)
        }
    }
}
