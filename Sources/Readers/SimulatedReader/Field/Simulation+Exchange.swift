public import Tags

/// The outcome of sending one frame to a simulated tag.
public enum FrameOutcome: Hashable, Sendable {
    /// The tag answers, or does not.
    case reply(TagReply)
    /// The tag gave this reply, but it was damaged in transit.
    case garbled(TagReply)
    /// The tag gave this reply after the reader had stopped waiting.
    case late(TagReply)
    /// The tag is not in the field, or no longer.
    case gone
    /// The process that uses the tag dies, either before the frame (with silence) or after it.
    case killed(TagReply)
}

/// The only place where a frame meets a tag and a fault, for every kind of reader.
extension Simulation {
    /// Whether a frame counts as a WRITE for faults and counters.
    public static func isWrite(_ frame: [UInt8]) -> Bool { frame.first == writeOpcode }

    /// Sends one frame, without CRC, to the tag with this UID.
    ///
    /// The change is kept even if the frame failed: that is what makes torn pages possible.
    public mutating func exchange(
        _ frame: [UInt8], with uid: [UInt8], _ side: inout TagSide
    ) -> FrameOutcome {
        guard onReader.contains(uid), let before = tag(uid) else { return .gone }
        let fault = dueFault(isWrite: Simulation.isWrite(frame))
        if fault == .lost {
            take(uid)
            return .gone
        }
        if case .refused(let code) = fault {
            // An empty frame is not a command, so the tag stops answering, as after any NAK.
            var unharmed = before
            _ = side.answer([], &unharmed)
            return .reply(.nak(code))
        }
        if fault == .killedBefore { return .killed(.silence) }
        var after = before
        let reply = side.answer(frame, &after)
        if case .torn(let torn) = fault {
            save(reply == .ack ? Simulation.tear(frame, before, after, as: torn) : after)
            take(uid)
            return .gone
        }
        save(after)
        return arrival(
            from: uid, under: fault, whole: .reply(reply), garbled: .garbled(reply),
            late: .late(reply), killed: .killed(reply), gone: .gone)
    }

    /// What the reader receives of a tag's answer, with or without a fault.
    mutating func arrival<Outcome>(
        from uid: [UInt8], under fault: Fault.Kind?, whole: Outcome, garbled: Outcome,
        late: Outcome, killed: Outcome, gone: Outcome
    ) -> Outcome {
        if fault == .acknowledgeLost || fault == .pulledAfter { take(uid) }
        return switch fault {
        case .acknowledgeLost: gone
        case .garbled: garbled
        case .late: late
        case .killedAfter: killed
        default: whole
        }
    }

    /// Counts a frame toward the armed fault. When the fault is due, returns and disarms it.
    mutating func dueFault(isWrite: Bool) -> Fault.Kind? {
        guard var due = fault, isWrite || due.counted == .frame else { return nil }
        due.countdown -= 1
        fault = due.countdown > 0 ? due : nil
        return due.countdown > 0 ? nil : due.kind
    }

    /// Interrupts the programming of a page. The chip protects lock bits and the capability
    /// container; everything else tears, and a torn password becomes the tag's password. A page
    /// tears even if the new content is the same as the old.
    private static func tear(
        _ frame: [UInt8], _ before: TagMemory, _ after: TagMemory, as torn: TornPage
    ) -> TagMemory {
        let command = try? Type2Command(frame: frame)
        guard case .write(let page, _)? = command, tears(before.chip.role(of: page))
        else { return after }
        var memory = after
        memory[page] = torn.content(old: before[page], new: after[page])
        return memory
    }

    private static func tears(_ role: PageRole) -> Bool {
        switch role {
        case .user, .configuration, .password, .pack: true
        case .serial, .lock, .capability, .dynamicLock, .absent: false
        }
    }

    private static let writeOpcode = Type2Command.write(0, .zero).frame[0]
}
