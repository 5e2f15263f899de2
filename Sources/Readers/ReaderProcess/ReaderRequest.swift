package import Tags

/// A request to the process that drives the reader.
package enum ReaderRequest: Hashable, Sendable {
    case select(milliseconds: UInt64)
    case exchange([UInt8])
    /// A command to an ISO/IEC 14443-4 card.
    case command([UInt8])
    case release(TagSignal?)
    /// Cancels the current request. It is the only request that may be sent before the previous
    /// reply has arrived, and the only one that gets no reply.
    case cancel

    /// Parses a request; `nil` for an invalid message.
    package init?(_ message: [UInt8]) {
        var rest = MessageReader(message)
        switch rest.byte() {
        case Opcode.select.rawValue:
            guard let limit = rest.number(), rest.isAtEnd else { return nil }
            self = .select(milliseconds: limit)
        case Opcode.exchange.rawValue: self = .exchange(rest.remainder())
        case Opcode.command.rawValue: self = .command(rest.remainder())
        case Opcode.release.rawValue:
            guard let number = rest.byte(), rest.isAtEnd else { return nil }
            let signal = TagSignal(rawValue: number)
            guard number == ReaderRequest.noSignal || signal != nil else { return nil }
            self = .release(signal)
        case Opcode.cancel.rawValue where rest.isAtEnd: self = .cancel
        default: return nil
        }
    }

    package var message: [UInt8] {
        switch self {
        case .select(let limit): [Opcode.select.rawValue] + MessageReader.bytes(of: limit)
        case .exchange(let frame): [Opcode.exchange.rawValue] + frame
        case .command(let command): [Opcode.command.rawValue] + command
        case .release(let signal):
            [Opcode.release.rawValue, signal?.rawValue ?? ReaderRequest.noSignal]
        case .cancel: [Opcode.cancel.rawValue]
        }
    }

    private static let noSignal: UInt8 = 0

    private enum Opcode: UInt8 {
        case select = 2
        case exchange, release, cancel, command
    }
}
