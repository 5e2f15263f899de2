package import Tags

/// Passes commands and blocks to NTAG 424 chips and applies faults. All kinds of readers share this
/// code.
extension Simulation {
    /// The outcome of one step in an exchange with a chip.
    package enum ChipOutcome: Hashable, Sendable {
        /// The response; `nil` if there was none.
        case answer([UInt8]?)
        /// The chip sent this response, but it was damaged in transit.
        case garbled([UInt8])
        /// The chip responded only after the reader had stopped waiting.
        case late
        /// The chip is not in the field, or has just been removed.
        case gone
        /// The process that uses the chip is killed, before or after the step.
        case killed
    }

    /// Lets the chip with this UID respond, unless a fault prevents that. `react` changes the state
    /// and the memory passed to it. The fault may limit which changes to the memory are kept.
    package mutating func exchange<State>(
        with uid: [UInt8], isWrite: Bool, isChained: Bool, _ state: inout State,
        _ react: (inout State, inout NTAG424Memory) -> [UInt8]?
    ) -> ChipOutcome {
        guard onReader.contains(uid), let before = chip(uid) else { return .gone }
        let fault = dueFault(isWrite: isWrite)
        if fault == .lost {
            take(uid)
            return .gone
        }
        if case .refused = fault {
            // 91EEh means that the chip could not write and did nothing.
            return .answer([0x91, 0xEE])
        }
        if fault == .killedBefore { return .killed }
        var after = before
        let answer = react(&state, &after)
        if case .torn(let torn) = fault {
            save(
                NTAG424Memory.torn(
                    from: before, to: after, at: torn.writtenBytes, isChained: isChained))
            take(uid)
            return .gone
        }
        save(after)
        return received(
            // A missing response cannot be damaged.
            from: uid, under: fault, whole: .answer(answer),
            garbled: answer.map(ChipOutcome.garbled) ?? .answer(nil), late: .late,
            killed: .killed, gone: .gone)
    }
}

extension TornPage {
    /// The number of bytes written, for a chip that writes bytes rather than single bits.
    fileprivate var writtenBytes: Int {
        switch self {
        case .unchanged: 0
        case .new: .max
        case .zero: 1
        case .mix(let seed), .someOnes(let seed), .erasedToSomeOnes(let seed): Int(seed % 256)
        case .lowestOnes(let count), .highestOnes(let count), .erasedToLowestOnes(let count),
            .erasedToHighestOnes(let count):
            count
        }
    }
}
