import TagReading
import Type2Tag

/// A reader on which other answers are given than the tag's.
struct ReaderBetween: TagReader {
    typealias Answer =
        @Sendable (_ frame: [UInt8], _ reader: any TagReader) async throws(ReaderError) -> [UInt8]

    let reader: any TagReader
    let answer: Answer

    var name: String { get async { await reader.name } }
    var longestAnswer: Int { get async { await reader.longestAnswer } }

    func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        try await reader.select(within: limit)
    }

    func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        try await answer(frame, reader)
    }

    func release() async { await reader.release() }

    /// A chip that does not know READ_SIG, as some copies of the NTAG21x.
    static let unsigned: Answer = { frame, reader throws(ReaderError) in
        guard frame == Type2Command.readSignature.frame else {
            return try await reader.exchange(frame)
        }
        // Whatever is no command makes the tag fall silent until it is selected again.
        _ = try? await reader.exchange([0xFF])
        throw ReaderError(.refused(NAK.invalidArgument))
    }

    /// A chip that answers every password, with whatever comes to its mind.
    static let takingAnyPassword: Answer = { frame, reader throws(ReaderError) in
        if case .authenticate? = try? Type2Command(frame: frame) { return [0xAA, 0xBB] }
        return try await reader.exchange(frame)
    }

    /// A reader that passes on READ, FAST_READ and WRITE, and no other command.
    static let storageOnly: Answer = { frame, reader throws(ReaderError) in
        guard [0x30, 0x3A, 0xA2].contains(frame.first) else { throw ReaderError(.unsupported) }
        return try await reader.exchange(frame)
    }

    /// A chip whose every answer has another length.
    static func lying(_ lie: Lie) -> Answer {
        { frame, reader throws(ReaderError) in lie.told(try await reader.exchange(frame)) }
    }
}

/// What a hostile tag does to all it says.
enum Lie: CaseIterable, Sendable {
    case nothing, shorter, longer, twice

    func told(_ answer: [UInt8]) -> [UInt8] {
        switch self {
        case .nothing: []
        case .shorter: answer.dropLast()
        case .longer: answer + [0]
        case .twice: answer + answer
        }
    }
}
