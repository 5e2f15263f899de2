package import Tags

/// A request to the process or the agent that drives the reader.
package enum ReaderRequest: Hashable, Sendable {
    case select(milliseconds: UInt64)
    case batch([BatchItem])
    case release(TagSignal?)
    /// Waits until the tag has been removed, or another one has taken its place.
    case removal(of: [UInt8]?, sawSeveral: Bool)
    /// Cancels the current request. It is the only request that may be sent before the previous
    /// reply has arrived, and the only one that gets no reply.
    case cancel

    /// Parses a request; `nil` for an invalid message.
    package init?(_ message: [UInt8]) {
        var rest = MessageFields(message)
        switch rest.byte() {
        case Opcode.select.rawValue:
            guard let limit = rest.number(), rest.isAtEnd else { return nil }
            self = .select(milliseconds: limit)
        case Opcode.batch.rawValue:
            guard let count = rest.count() else { return nil }
            var items: [BatchItem] = []
            for _ in 0..<count {
                guard let item = BatchItem(&rest) else { return nil }
                items.append(item)
            }
            guard rest.isAtEnd else { return nil }
            self = .batch(items)
        case Opcode.release.rawValue:
            guard let number = rest.byte(), rest.isAtEnd else { return nil }
            let signal = TagSignal(rawValue: number)
            guard number == ReaderRequest.noSignal || signal != nil else { return nil }
            self = .release(signal)
        case Opcode.removal.rawValue:
            guard let hasUID = rest.byte(), hasUID <= 1, let uid = rest.field(),
                hasUID == 1 || uid.isEmpty, let several = rest.byte(), several <= 1, rest.isAtEnd
            else { return nil }
            self = .removal(of: hasUID == 1 ? uid : nil, sawSeveral: several == 1)
        case Opcode.cancel.rawValue where rest.isAtEnd: self = .cancel
        default: return nil
        }
    }

    package var message: [UInt8] {
        switch self {
        case .select(let limit): [Opcode.select.rawValue] + MessageFields.bytes(of: limit)
        case .batch(let items):
            [Opcode.batch.rawValue] + MessageFields.bytes(ofCount: items.count)
                + items.flatMap(\.bytes)
        case .release(let signal):
            [Opcode.release.rawValue, signal?.rawValue ?? ReaderRequest.noSignal]
        case .removal(let uid, let sawSeveral):
            [Opcode.removal.rawValue, uid == nil ? 0 : 1] + MessageFields.field(uid ?? [])
                + [sawSeveral ? 1 : 0]
        case .cancel: [Opcode.cancel.rawValue]
        }
    }

    private static let noSignal: UInt8 = 0

    private enum Opcode: UInt8 {
        case select = 2
        case batch, release, cancel, removal
    }
}

extension BatchItem {
    private enum Mark: UInt8 { case none, bytes, length }

    fileprivate init?(_ rest: inout MessageFields) {
        guard let isCommand = rest.byte(), isCommand <= 1, let sent = rest.longField(),
            let mark = rest.byte().flatMap(Mark.init)
        else { return nil }
        let expectation: Expectation?
        switch mark {
        case .none: expectation = nil
        case .bytes:
            guard let bytes = rest.longField() else { return nil }
            expectation = .bytes(bytes)
        case .length:
            guard let number = rest.number(), let count = Int(exactly: number),
                let ending = rest.longField()
            else { return nil }
            expectation = .length(count, ending: ending)
        }
        self.init(isCommand == 1 ? .command(sent) : .frame(sent), expecting: expectation)
    }

    fileprivate var bytes: [UInt8] {
        let head: [UInt8] =
            switch message {
            case .frame(let frame): [0] + MessageFields.longField(frame)
            case .command(let command): [1] + MessageFields.longField(command)
            }
        let condition: [UInt8] =
            switch expectation {
            case nil: [Mark.none.rawValue]
            case .bytes(let bytes): [Mark.bytes.rawValue] + MessageFields.longField(bytes)
            case .length(let count, let ending):
                [Mark.length.rawValue] + MessageFields.bytes(of: UInt64(count))
                    + MessageFields.longField(ending)
            }
        return head + condition
    }
}
