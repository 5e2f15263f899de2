/// The commands that affect only the chip itself.
extension PN532Chip {
    mutating func diagnose(_ data: ArraySlice<UInt8>) -> ChipResult {
        switch data.first {
        // Line test: the data is sent back.
        case 0x00: .answer(Array(data))
        // Memory and antenna tests.
        case 0x01, 0x02: data.count == 1 ? .answer([ChipStatus.good]) : .syntaxError
        case 0x07: data.count == 2 ? .answer([ChipStatus.good]) : .syntaxError
        // Presence test for an ISO/IEC 14443-4 card.
        case 0x06: data.count == 1 ? .answer([presence()]) : .syntaxError
        default: .syntaxError
        }
    }

    private func presence() -> UInt8 {
        guard let current, targets.indices.contains(current) else { return ChipStatus.context }
        return field.activation(of: targets[current].number)?.state == .block
            ? ChipStatus.good : ChipStatus.timeout
    }

    func generalStatus() -> [UInt8] {
        // The zeros in each entry stand for 106 kbit/s in both directions and type A modulation.
        let listed: [UInt8] = targets.indices.flatMap { [UInt8($0 + 1), 0x00, 0x00, 0x00] }
        return [0x00, field.isOn ? 0x01 : 0x00, UInt8(targets.count)] + listed + [0x80]
    }

    mutating func readRegisters(_ data: [UInt8]) -> ChipResult {
        guard !data.isEmpty, data.count.isMultiple(of: 2) else { return .syntaxError }
        var values: [UInt8] = []
        for index in stride(from: 0, to: data.count, by: 2) {
            let register = UInt16(data[index]) << 8 | UInt16(data[index + 1])
            switch register {
            case ChipRegisters.fifoLevel: values.append(UInt8(truncatingIfNeeded: buffer.count))
            case ChipRegisters.fifoData where !buffer.isEmpty:
                values.append(buffer.removeFirst())
            default: values.append(registers[register])
            }
        }
        return .answer(values)
    }

    mutating func writeRegisters(_ data: [UInt8]) -> ChipResult {
        guard !data.isEmpty, data.count.isMultiple(of: 3) else { return .syntaxError }
        for index in stride(from: 0, to: data.count, by: 3) {
            let register = UInt16(data[index]) << 8 | UInt16(data[index + 1])
            registers[register] = data[index + 2]
            handleBuffer(register, data[index + 2])
            // The antenna's drivers control the field.
            if register == ChipRegisters.transmitControl, registers.hasField != field.isOn {
                field.setPower(registers.hasField)
            }
        }
        return .answer([])
    }

    /// Applies the effect of writing to a register that controls the unit's buffer. A host can
    /// fill, send, and read the buffer directly, as libnfc does to measure how long a response
    /// takes.
    private mutating func handleBuffer(_ register: UInt16, _ value: UInt8) {
        switch register {
        case ChipRegisters.fifoLevel where value & ChipRegisters.flush != 0: buffer = []
        case ChipRegisters.fifoData where buffer.count < PN532Chip.bufferSize: buffer.append(value)
        case ChipRegisters.bitFraming where value & ChipRegisters.startSending != 0:
            registers[register] = value & ~ChipRegisters.startSending
            guard registers.isTransceiving else { return }
            let (status, answer) = transmit(buffer)
            buffer = status == ChipStatus.good ? Array(answer.prefix(PN532Chip.bufferSize)) : []
            registers.stopTimer(hasAnswer: status == ChipStatus.good)
        default: break
        }
    }

    mutating func writePorts(_ data: [UInt8]) -> ChipResult {
        guard data.count == 2 else { return .syntaxError }
        // The highest bit of each byte says whether that port is to be written.
        for (index, value) in data.enumerated() where value & 0x80 != 0 {
            ports[index] = value & 0x7F
        }
        return .answer([])
    }

    mutating func setSpeed(_ data: ArraySlice<UInt8>) -> ChipResult {
        guard data.count == 1, let number = data.first, Int(number) < PN532Chip.speeds.count else {
            return .syntaxError
        }
        nextSpeed = Int(number)
        return .answer([])
    }

    mutating func setParameters(_ data: ArraySlice<UInt8>) -> ChipResult {
        guard data.count == 1, let flags = data.first else { return .syntaxError }
        // The bit fAutomaticRATS (PN532 user manual, SetParameters).
        activatesBlocks = flags & 0x10 != 0
        return .answer([])
    }

    mutating func configureSecurity(_ data: ArraySlice<UInt8>) -> ChipResult {
        guard (1...3).contains(data.count), let mode = data.first, (1...4).contains(mode) else {
            return .syntaxError
        }
        return .answer([])
    }

    mutating func powerDown(_ data: ArraySlice<UInt8>) -> ChipResult {
        guard (1...2).contains(data.count) else { return .syntaxError }
        setField(false)
        isPoweredDown = true
        return .answer([ChipStatus.good])
    }

    mutating func configureRadio(_ data: ArraySlice<UInt8>) -> ChipResult {
        guard let item = data.first else { return .syntaxError }
        let values = Array(data.dropFirst())
        // RFConfiguration's items, with the number of bytes that each has according to the manual.
        let lengths: [UInt8: Int] = [
            0x01: 1, 0x02: 3, 0x04: 1, 0x05: 3, 0x0A: 11, 0x0B: 8, 0x0C: 3, 0x0D: 9,
        ]
        guard lengths[item] == values.count else { return .syntaxError }
        switch item {
        case 0x01: setField(values[0] & 0x01 != 0)
        case 0x02:
            // 100 us times a power of two; the highest value stands for more than 3 s.
            guard values.dropFirst().allSatisfy({ $0 <= 0x10 }) else { return .syntaxError }
            answerTimeout = values[2]
        case 0x05: activationRetries = values[2]
        default: break
        }
        return .answer([])
    }
}
