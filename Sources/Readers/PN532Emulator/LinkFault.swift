/// A one-time fault on the link between the chip and its host, at a chosen command.
public struct LinkFault: Hashable, Sendable {
    /// The commands that are counted.
    public enum Counted: String, Sendable, CaseIterable {
        /// Each command from the host.
        case command
        /// Only commands that carry a frame for a tag.
        case data
    }

    /// The kinds of faults.
    public enum Kind: Hashable, Sendable {
        /// The command is executed, but its response never arrives.
        case loseReply
        /// The response arrives late: just before the ACK and the response for the next command.
        case lateReply
        /// The response arrives after the ACK of the next command, ahead of that command's response.
        case staleReply
        /// The response's data checksum is wrong.
        case corrupt
        /// One byte of the response is missing, but the checksums are correct.
        case shorter
        /// The response has one byte too many, but the checksums are correct.
        case longer
        /// The response has this status byte.
        case status(UInt8)
        /// The response arrives without the ACK that should precede it.
        case loseAcknowledge
        /// The chip stalls after executing the command, until it is resumed.
        case stall
        /// The reader is unplugged after the command is executed.
        case unplug
    }

    public let counted: Counted
    /// The number of the counted command at which the fault happens; 1 is the next one.
    public var countdown: Int
    public let kind: Kind

    public init(at countdown: Int, counting counted: Counted, _ kind: Kind) {
        self.counted = counted
        self.countdown = countdown
        self.kind = kind
    }
}

extension LinkFault: CustomStringConvertible {
    private static let names: [(String, Kind)] = [
        ("lose-reply", .loseReply), ("late-reply", .lateReply), ("stale-reply", .staleReply),
        ("corrupt", .corrupt), ("shorter", .shorter), ("longer", .longer),
        ("lose-ack", .loseAcknowledge), ("stall", .stall), ("unplug", .unplug),
    ]

    /// The fault as one line of the control language, such as "data 3 lose-reply".
    public var description: String {
        let name =
            if case .status(let value) = kind {
                "status \(value)"
            } else {
                LinkFault.names.first { $0.1 == kind }?.0 ?? ""
            }
        return "\(counted.rawValue) \(countdown) \(name)"
    }

    /// Parses a fault, but only in the exact form that `description` produces.
    public init?(_ text: String) {
        let words = text.split(separator: " ").map(String.init)
        guard (3...4).contains(words.count), let counted = Counted(rawValue: words[0]),
            let countdown = Int(words[1]), countdown > 0
        else { return nil }
        let kind: Kind?
        if words.count == 4, words[2] == "status" {
            kind = UInt8(words[3]).map(Kind.status)
        } else {
            kind = LinkFault.names.first { $0.0 == words[2] }?.1
        }
        guard let kind else { return nil }
        // The comparison rejects other spellings, such as extra spaces.
        self.init(at: countdown, counting: counted, kind)
        guard description == text else { return nil }
    }
}
