/// A command for a Type 2 tag. The reader and the tag share this codec.
package enum Type2Command: Hashable, Sendable {
    case getVersion
    /// Reads four pages, starting with this one.
    case read(UInt8)
    /// Reads the pages from the first through the last.
    case fastRead(UInt8, UInt8)
    case write(UInt8, Page)
    /// The first of two frames. The second has the page's four bytes and twelve more that are
    /// ignored.
    case compatibilityWrite(UInt8)
    /// Reads a counter: 0, 1, or 2.
    case readCounter(UInt8)
    /// Authenticates with a password of four bytes.
    case authenticate([UInt8])
    case readSignature
    case halt

    static let compatibilityDataLength = 16
    private static let lastCounter: UInt8 = 2

    /// Parses a frame without its CRC. Throws for any frame that `frame` would not produce.
    package init(frame: [UInt8]) throws(Type2Error) {
        guard let first = frame.first, let opcode = Type2Opcode(rawValue: first) else {
            throw Type2Error(.unknownCommand, "\(frame.first.map { "opcode \($0)" } ?? "empty")")
        }
        guard frame.count == opcode.frameLength else {
            throw Type2Error(
                .wrongFrameLength,
                "command \(opcode) was sent with \(frame.count) instead of \(opcode.frameLength) "
                    + "bytes"
            )
        }
        if opcode == .readCounter, frame[1] > Type2Command.lastCounter {
            throw Type2Error(.unknownCommand, "\(opcode) \(frame[1])")
        }
        if let argument = opcode.fixedArgument, frame[1] != argument {
            throw Type2Error(.unknownCommand, "\(opcode) \(frame[1]), not \(argument)")
        }
        self =
            switch opcode {
            case .getVersion: .getVersion
            case .read: .read(frame[1])
            case .fastRead: .fastRead(frame[1], frame[2])
            case .write: .write(frame[1], Page(frame[2], frame[3], frame[4], frame[5]))
            case .compatibilityWrite: .compatibilityWrite(frame[1])
            case .readCounter: .readCounter(frame[1])
            case .authenticate: .authenticate(Array(frame.dropFirst()))
            case .readSignature: .readSignature
            case .halt: .halt
            }
    }

    /// The bytes to send, without the CRC.
    package var frame: [UInt8] {
        [opcode.rawValue] + (opcode.fixedArgument.map { [$0] } ?? arguments)
    }

    /// Returns the response if it has the right length for this command. Throws otherwise.
    package func checked(_ answer: [UInt8]) throws(Type2Error) -> [UInt8] {
        guard let length = answerLength else {
            throw Type2Error(.wrongAnswerLength, "no answer to command \(self) can be valid")
        }
        guard answer.count == length else {
            throw Type2Error(
                .wrongAnswerLength,
                "the answer to command \(opcode) has \(answer.count) instead of \(length) bytes")
        }
        return answer
    }

    private var opcode: Type2Opcode {
        switch self {
        case .getVersion: .getVersion
        case .read: .read
        case .fastRead: .fastRead
        case .write: .write
        case .compatibilityWrite: .compatibilityWrite
        case .readCounter: .readCounter
        case .authenticate: .authenticate
        case .readSignature: .readSignature
        case .halt: .halt
        }
    }

    private var arguments: [UInt8] {
        switch self {
        case .read(let number), .compatibilityWrite(let number), .readCounter(let number): [number]
        case .fastRead(let first, let last): [first, last]
        case .write(let page, let data): [page] + data.bytes
        case .authenticate(let password): password
        case .getVersion, .readSignature, .halt: []
        }
    }

    /// The length of a valid response; 0 for an ACK; `nil` if the tag can only refuse the command.
    private var answerLength: Int? {
        switch self {
        case .getVersion: 8
        // READ always returns four pages.
        case .read: 4 * Page.size
        case .fastRead(let first, let last):
            // A tag refuses a run that ends before it begins.
            first <= last ? (Int(last) - Int(first) + 1) * Page.size : nil
        case .readCounter: 3
        // The response to the correct password is PACK.
        case .authenticate: 2
        case .readSignature: TagMemory.signatureLength
        case .write, .compatibilityWrite, .halt: 0
        }
    }
}
