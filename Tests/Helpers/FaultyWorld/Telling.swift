import Cards
import Ledger
import Tags
import TapcardDomain

extension Step: CustomStringConvertible {
    package var description: String {
        let what =
            switch act {
            case .frame(let frame): Step.words(frame)
            case .write(let page, let old, let new):
                "WRITE page \(Step.hexadecimal(page)): \(new) over \(old)"
            case .command(let command, _): Step.words(command: command)
            case .ledgerRead: "the ledger is asked"
            case .ledgerWrite: "the ledger commits"
            case .service: "the activation service is asked"
            }
        let fault = mishap.map { "  *** \($0) ***" } ?? ""
        return what + fault + (answer.isEmpty ? "" : "  -> \(answer)")
    }

    private static func words(_ frame: [UInt8]) -> String {
        switch try? Type2Command(frame: frame) {
        case .fastRead(let first, let last):
            "FAST_READ \(hexadecimal(first)) to \(hexadecimal(last))"
        case .write(let page, let new): "WRITE page \(hexadecimal(page)): \(new)"
        case .read(let page): "READ \(hexadecimal(page))"
        case .getVersion: "GET_VERSION"
        case .readSignature: "READ_SIG"
        default: "frame " + frame.map(hexadecimal).joined(separator: " ")
        }
    }

    /// The name of a command, with the number of its key or file.
    private static func words(command: [UInt8]) -> String {
        guard command.count > 1, let opcode = NTAG424Opcode(rawValue: command[1]) else {
            return "COMMAND " + command.prefix(5).map(hexadecimal).joined(separator: " ")
        }
        let hasNumber = opcode.headerSize > 0 && command.count > 5
        return "COMMAND \(opcode)" + (hasNumber ? " \(command[5])" : "")
    }

    static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) + "h"
    }
}

extension RestingWorld {
    /// The relevant state of the world, in a line.
    package var words: String {
        var words: [String] = []
        for (place, slot) in (slots?.slots ?? []).enumerated() {
            let holds =
                switch slot {
                case .blank: "blank"
                case .broken: "torn"
                case .unsealed: "torn (unsealed)"
                case .retired(let record): "\(record.sequence), retired key"
                case .valid(let record): "\(record.sequence) with \(record.balance)"
                }
            words.append("R\(place) \(holds)")
        }
        if let chip {
            words.append("keys \(chip.keys.map(\.version))")
            words.append(chip.granted(keys).map { "\($0) granted" } ?? "no grant")
        }
        if !weak.isEmpty { words.append("weak pages \(weak.keys.sorted())") }
        guard let card else { return (words + ["no card in the ledger"]).joined(separator: "; ") }
        words.append("confirmed \(card.confirmed) of \(card.allocated)")
        words.append(open.map { "open: \($0.kind.rawValue) with \($0.sequence)" } ?? "nothing open")
        return words.joined(separator: "; ")
    }
}
