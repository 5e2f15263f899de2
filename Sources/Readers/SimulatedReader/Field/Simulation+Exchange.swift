public import Tags

/// The outcome of sending one frame to a simulated tag.
public enum FrameOutcome: Hashable, Sendable {
    /// The tag's reply, which may be none at all.
    case reply(TagReply)
    /// The tag sent this reply, but it was damaged in transit.
    case garbled(TagReply)
    /// The tag sent this reply after the reader had stopped waiting.
    case late(TagReply)
    /// The tag is not in the field, or has just been removed.
    case gone
    /// The process that uses the tag is killed. If that happens before the frame is sent, the reply
    /// is silence.
    case killed(TagReply)
}

/// Sends frames to tags and applies faults. All kinds of readers share this code.
extension Simulation {
    /// Whether a frame counts as a WRITE for faults and counters.
    public static func isWrite(_ frame: [UInt8]) -> Bool { frame.first == writeOpcode }

    /// Sends one frame, without a CRC, to the tag with this UID.
    ///
    /// Changes to the tag are kept even if the frame failed, so a failed write can leave a torn
    /// page.
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
            // The empty frame is not a command, so the tag stops responding, as it does after any
            // NAK. Its memory does not change.
            var copy = before
            _ = side.answer([], &copy)
            return .reply(.nak(code))
        }
        if fault == .killedBefore { return .killed(.silence) }
        var after = before
        let reply = side.answer(frame, &after)
        if case .torn(let torn) = fault {
            // Only a frame that the tag has accepted can tear a page.
            save(reply == .ack ? Simulation.tear(frame, before, after, as: torn) : after)
            take(uid)
            return .gone
        }
        save(after)
        return received(
            from: uid, under: fault, whole: .reply(reply), garbled: .garbled(reply),
            late: .late(reply), killed: .killed(reply), gone: .gone)
    }

    /// Chooses what the reader receives, depending on the fault, if any.
    mutating func received<Outcome>(
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

    /// Counts a frame toward the armed fault, if any. If the fault is due, disarms it and returns
    /// its kind.
    mutating func dueFault(isWrite: Bool) -> Fault.Kind? {
        guard var due = fault, isWrite || due.counted == .frame else { return nil }
        due.countdown -= 1
        fault = due.countdown > 0 ? due : nil
        return due.countdown > 0 ? nil : due.kind
    }

    /// Interrupts the programming of a page. The chip protects lock bits and the capability
    /// container, but other pages can be torn, even if the new content is the same as the old
    /// content. A torn password becomes the tag's password.
    private static func tear(
        _ frame: [UInt8], _ before: TagMemory, _ after: TagMemory, as torn: TornPage
    ) -> TagMemory {
        let command = try? Type2Command(frame: frame)
        guard case .write(let page, _)? = command, canBeTorn(before.chip.role(of: page))
        else { return after }
        var memory = after
        memory[page] = torn.content(old: before[page], new: after[page])
        return memory
    }

    private static func canBeTorn(_ role: PageRole) -> Bool {
        switch role {
        case .user, .configuration, .password, .pack: true
        case .serial, .lock, .capability, .dynamicLock, .absent: false
        }
    }

    private static let writeOpcode = Type2Command.write(0, .zero).frame[0]
}
