/// What the program asks of the process that drives its reader.
package enum ReaderRequest: Hashable, Sendable {
    /// Be ready: open the reader, and say what it is.
    case open
    case select(milliseconds: UInt64)
    case exchange([UInt8])
    case release
    /// Break off what is being done. The only one that may come before the last reply, and the
    /// only one that is not replied to.
    case cancel

    /// Nil for what no version of this program would send.
    package init?(_ message: [UInt8]) {
        var rest = MessageReader(message)
        switch rest.byte() {
        case Opcode.open.rawValue where rest.isAtEnd: self = .open
        case Opcode.select.rawValue:
            guard let limit = rest.number(), rest.isAtEnd else { return nil }
            self = .select(milliseconds: limit)
        case Opcode.exchange.rawValue: self = .exchange(rest.remainder())
        case Opcode.release.rawValue where rest.isAtEnd: self = .release
        case Opcode.cancel.rawValue where rest.isAtEnd: self = .cancel
        default: return nil
        }
    }

    package var message: [UInt8] {
        switch self {
        case .open: [Opcode.open.rawValue]
        case .select(let limit): [Opcode.select.rawValue] + MessageReader.bytes(of: limit)
        case .exchange(let frame): [Opcode.exchange.rawValue] + frame
        case .release: [Opcode.release.rawValue]
        case .cancel: [Opcode.cancel.rawValue]
        }
    }

    private enum Opcode: UInt8 {
        case open = 1
        case select, exchange, release, cancel
    }
}
