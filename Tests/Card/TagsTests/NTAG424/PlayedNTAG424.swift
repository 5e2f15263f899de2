import CardCryptography
import Tags
import TapcardDomain

/// A chip from the factory and a reader that talks to it, command by command.
struct PlayedNTAG424 {
    static let uid = bytes("04518DFAA96180")

    var memory: NTAG424Memory
    var side = NTAG424Side()
    var conversation = NTAG424Conversation()
    private var drawn: UInt8 = 0
    /// Changes every answer on its way to the reader.
    var alter: ([UInt8]) -> [UInt8] = { $0 }
    var blocks = 1

    init() {
        guard let uid = CardUID(bytes: Self.uid) else { preconditionFailure("a valid UID") }
        memory = NTAG424Memory(factory: uid)
    }

    mutating func send(_ command: [UInt8]) -> [UInt8] {
        var next = drawn
        let answer = side.answer(command, blocks: blocks, &memory) { count in
            (0..<count).map { _ in
                next = next &* 31 &+ 7
                return next
            }
        }
        drawn = next
        return alter(answer)
    }

    mutating func run(
        _ command: CardCommand, file: CommunicationMode = .plain
    ) throws(NTAG424Error) -> [UInt8] {
        try finish(conversation.begin(command, file: file))
    }

    mutating func authenticate(
        _ number: KeyNumber, _ key: AESKey = factoryKey
    ) throws(NTAG424Error) {
        let random = (0..<16).map { UInt8($0) &* 3 &+ drawn }
        _ = try finish(conversation.authenticate(number, key, random: random))
    }

    /// The status of a command that is sent as it is.
    mutating func status(_ command: CardCommand) -> UInt16 {
        let answer = send(command.plain.bytes).suffix(2)
        return answer.reduce(0) { $0 << 8 | UInt16($1) }
    }

    /// Cuts and restores the power, and selects the application.
    mutating func tapAgain() throws(NTAG424Error) {
        (side, conversation) = (NTAG424Side(), NTAG424Conversation())
        _ = try run(.selectApplication)
    }

    private mutating func finish(
        _ first: NTAG424Conversation.Step
    ) throws(NTAG424Error) -> [UInt8] {
        var step = first
        while true {
            switch step {
            case .finished(let data): return data
            case .doneWithoutMAC: return []
            case .send(let command):
                let answer = send(command)
                step = try conversation.receive(answer)
            }
        }
    }
}
