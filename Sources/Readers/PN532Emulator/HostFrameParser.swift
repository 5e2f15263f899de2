/// Finds the host's frames in a stream of bytes, no matter how the stream is split or what garbage
/// comes between frames. Like the chip, it silently skips damaged frames: the host repeats a frame
/// that was not acknowledged.
package struct HostFrameParser {
    package enum Event: Hashable {
        case acknowledge
        case refuse
        /// The bytes between the length and the checksum: the direction, the command, and its data.
        case information([UInt8])
    }

    /// The unconsumed bytes, starting where a frame may begin. There is never more than one frame's
    /// worth.
    private var pending: [UInt8] = []
    /// The number of frames with a wrong length or checksum.
    private(set) var damagedCount = 0

    private static let startCode: [UInt8] = [0x00, 0xFF]

    package init() {}

    package mutating func take(_ byte: UInt8) -> Event? {
        pending.append(byte)
        // Each iteration either drops bytes or exits, so the loop ends.
        while true {
            skipToStart()
            switch examine() {
            case .incomplete: return nil
            case .damaged:
                damagedCount += 1
                // The next frame may have begun inside this one.
                pending.removeFirst(HostFrameParser.startCode.count)
            case .found(let event, let length):
                pending.removeFirst(length)
                return event
            }
        }
    }

    /// Discards an incomplete frame.
    mutating func reset() { pending = [] }

    private mutating func skipToStart() {
        var skipped = 0
        while pending.count - skipped >= 2,
            pending[skipped] != 0x00 || pending[skipped + 1] != 0xFF
        {
            skipped += 1
        }
        // A lone zero may be the first half of the start code.
        if pending.count - skipped == 1, pending[skipped] != 0x00 { skipped += 1 }
        pending.removeFirst(skipped)
    }

    private enum Finding {
        case incomplete
        case damaged
        case found(Event, length: Int)
    }

    private func examine() -> Finding {
        guard pending.count >= 4 else { return .incomplete }
        switch (pending[2], pending[3]) {
        case (0x00, 0xFF): return .found(.acknowledge, length: 4)
        case (0xFF, 0x00): return .found(.refuse, length: 4)
        case (0xFF, 0xFF):
            guard pending.count >= 7 else { return .incomplete }
            guard pending[4] &+ pending[5] &+ pending[6] == 0 else { return .damaged }
            return data(from: 7, count: Int(pending[4]) << 8 | Int(pending[5]))
        case (let length, let check):
            guard length &+ check == 0 else { return .damaged }
            return data(from: 4, count: Int(length))
        }
    }

    private func data(from start: Int, count: Int) -> Finding {
        guard (1...HostFrame.maximumDataLength).contains(count) else { return .damaged }
        // A frame ends with a zero after the checksum, but only the checksum is needed.
        let end = start + count
        guard pending.count > end else { return .incomplete }
        guard pending[start...end].reduce(0, &+) == 0 else { return .damaged }
        return .found(.information(Array(pending[start..<end])), length: end + 1)
    }
}
