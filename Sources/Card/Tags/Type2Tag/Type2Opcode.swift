/// The first byte of a command, and the length of its frame.
enum Type2Opcode: UInt8 {
    case authenticate = 0x1B
    case read = 0x30
    case readCounter = 0x39
    case fastRead = 0x3A
    case readSignature = 0x3C
    case halt = 0x50
    case getVersion = 0x60
    case compatibilityWrite = 0xA0
    case write = 0xA2

    /// The number of bytes in the frame, without the CRC.
    var frameLength: Int {
        switch self {
        case .getVersion: 1
        case .read, .readCounter, .readSignature, .halt, .compatibilityWrite: 2
        case .fastRead: 3
        // The opcode and the four bytes of the password.
        case .authenticate: 5
        // The opcode, the page number, and the four bytes of the page.
        case .write: 6
        }
    }

    /// The second byte of commands that allow only one value there.
    var fixedArgument: UInt8? {
        switch self {
        case .readSignature, .halt: 0x00
        default: nil
        }
    }
}
