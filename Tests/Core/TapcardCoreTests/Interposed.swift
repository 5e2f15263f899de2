import BlockingLane
import FaultyWorld
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore

/// Disturbances that tests put between a station and its reader.
extension InterposedReader {
    /// A chip that does not know READ_SIG, like some copies of the NTAG21x.
    static let unsigned: Answer = { frame, reader throws(ReaderError) in
        guard frame == Type2Command.readSignature.frame else {
            return try await reader.exchange(frame)
        }
        // An invalid command makes the tag silent until it is selected again.
        _ = try? await reader.exchange([0xFF])
        throw ReaderError(.refused(NAK.invalidArgument))
    }

    /// A chip that accepts every password.
    static let takingAnyPassword: Answer = { frame, reader throws(ReaderError) in
        if case .authenticate? = try? Type2Command(frame: frame) { return [0xAA, 0xBB] }
        return try await reader.exchange(frame)
    }

    /// A reader that passes on no commands except READ, FAST_READ, and WRITE.
    static let storageOnly: Answer = { frame, reader throws(ReaderError) in
        guard [0x30, 0x3A, 0xA2].contains(frame.first) else { throw ReaderError(.unsupported) }
        return try await reader.exchange(frame)
    }

    /// A worn tag or a bad copy of a chip that acknowledges a WRITE and stores zeros. `forgets`
    /// gets the number of the WRITE, counted from 1, and its page.
    static func forgetful(
        _ forgets: @escaping @Sendable (_ write: Int, _ page: UInt8) -> Bool
    ) -> Answer {
        let writes = Guarded(0)
        return { frame, reader throws(ReaderError) in
            guard let page = writtenPage(frame) else { return try await reader.exchange(frame) }
            let number = writes.withLock { count in
                count += 1
                return count
            }
            let isForgotten = forgets(number, page)
            return try await reader.exchange(
                isForgotten ? Type2Command.write(page, .zero).frame : frame)
        }
    }

    private static func writtenPage(_ frame: [UInt8]) -> UInt8? {
        if case .write(let page, _)? = try? Type2Command(frame: frame) { page } else { nil }
    }

    /// Acts right before the selection with this number, counted from 1.
    static func before(
        selection number: Int, _ act: @escaping @Sendable () async throws(ReaderError) -> Void
    ) -> Select {
        let left = Guarded(number)
        return { limit, reader throws(ReaderError) in
            if left.countsDownToZero() { try await act() }
            return try await reader.select(within: limit)
        }
    }

    /// Acts right before the frame with this number, counted from 1.
    static func before(
        frame number: Int, _ act: @escaping @Sendable () async throws(ReaderError) -> Void
    ) -> Answer {
        let left = Guarded(number)
        return { frame, reader throws(ReaderError) in
            if left.countsDownToZero() { try await act() }
            return try await reader.exchange(frame)
        }
    }

    /// The pages whose last WRITE was not acknowledged; they may read correctly now and lose their
    /// bits later.
    var weakPages: Set<UInt8> {
        exchanges.reduce(into: []) { weak, exchange in
            guard let page = Self.writtenPage(exchange.frame) else { return }
            if exchange.failure == nil { weak.remove(page) } else { weak.insert(page) }
        }
    }

    /// Makes the next selections fail with these errors; nil lets one through.
    func meet(_ kinds: [ReaderError.Kind?]) {
        let left = Guarded(kinds)
        change(select: { limit, reader throws(ReaderError) in
            let kind = left.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            if let kind { throw ReaderError(kind) }
            return try await reader.select(within: limit)
        })
    }

    /// Unplugs the reader at this WRITE, counted from 1, until it is plugged in again.
    func loseReader(atWrite number: Int, carryingOut isCarriedOut: Bool = false) {
        let left = Guarded(number)
        change(
            select: { limit, reader throws(ReaderError) in
                if left.withLock({ $0 <= 0 }) { throw ReaderError(.noReader) }
                return try await reader.select(within: limit)
            },
            answer: { frame, reader throws(ReaderError) in
                if left.withLock({ $0 <= 0 }) { throw ReaderError(.readerLost) }
                guard Self.writtenPage(frame) != nil, left.countsDownToZero() else {
                    return try await reader.exchange(frame)
                }
                if isCarriedOut { _ = try await reader.exchange(frame) }
                await reader.release()
                throw ReaderError(.readerLost, "unplugged")
            })
    }

    var isLost: Bool { exchanges.last?.failure == .readerLost }

    func plugIn() { change() }
}

extension Guarded<Int> {
    /// Subtracts one and returns whether the result is zero.
    fileprivate func countsDownToZero() -> Bool {
        withLock { left in
            left -= 1
            return left == 0
        }
    }
}

/// How a hostile tag changes the length of every answer.
enum Lie: CaseIterable, Sendable {
    case nothing, shorter, longer, twice

    var answer: InterposedReader.Answer {
        { frame, reader throws(ReaderError) in
            let answer = try await reader.exchange(frame)
            return switch self {
            case .nothing: []
            case .shorter: answer.dropLast()
            case .longer: answer + [0]
            case .twice: answer + answer
            }
        }
    }
}

extension TagMemory {
    /// The tag after every weak page has lost its bits.
    func decayed(_ weak: Set<UInt8>) -> TagMemory {
        var memory = self
        for page in weak { memory[page] = .zero }
        return memory
    }
}

extension World {
    /// A station that is disturbed at one of its steps.
    func station(_ disturbance: Disturbance) -> Station {
        station(
            reader: disturbance.reader(reader), ledger: disturbance.ledger(ledger))
    }
}

/// How a ledger fails at a commit.
enum LedgerFault: CaseIterable, Sendable {
    /// The answer to a done commit is lost, the commit is lost, or all later answers are lost.
    case answerLost, requestLost, answersLost
    case down

    /// The failure of the commit with this number, counted from 1.
    func atCommit(_ number: Int) -> Disturbance {
        switch self {
        case .answerLost: Disturbance(.commitUnknown, at: number, of: .commits)
        case .requestLost: Disturbance(.commitLost, at: number, of: .commits)
        case .answersLost: Disturbance(.commitUnknown, at: number, of: .commits, isLasting: true)
        case .down: Disturbance(.ledgerGone, at: number, of: .commits)
        }
    }
}
