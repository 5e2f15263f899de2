import CardCryptography
import Ntag424
import TagReading
import TapcardDomain

extension Station {
    /// A sentence about a card that speaks in blocks, for a person who wonders why it is refused.
    /// Nil if it is not an NTAG 424 DNA, or if it did not answer to the end.
    ///
    /// No key is tried: the card counts wrong ones, and tells the versions of its keys without.
    func description(of identity: TagIdentity, _ uid: CardUID) async -> String? {
        guard identity.speaksInBlocks else { return nil }
        do {
            var conversation = ChipConversation()
            _ = try await run(.selectApplication, &conversation)
            let version = try await run(.getVersion, &conversation)
            guard version.starts(with: [Ntag424Version.vendor, Ntag424Version.type]) else {
                return nil
            }
            var versions: [String] = []
            for key in KeyNumber.allCases {
                let answer = try await run(.getKeyVersion(key), &conversation)
                versions.append(answer.map { "\($0)" }.joined())
            }
            let signature = try await run(.readSignature, &conversation)
            let isGenuine = CardCryptography.Originality.verify(
                uid: uid.bytes, signature: signature, of: .ntag424)
            let words =
                signature.allSatisfy { $0 == 0 } ? "missing" : isGenuine ? "valid" : "invalid"
            return "This is an NTAG 424 DNA, number \(uid). The maker's signature is \(words); "
                + "its keys have the versions \(versions.joined(separator: ", "))."
        } catch {
            return nil
        }
    }

    private enum Ntag424Version {
        static let vendor: UInt8 = 0x04
        static let type: UInt8 = 0x04
    }

    private func run(
        _ command: CardCommand, _ conversation: inout ChipConversation
    ) async throws -> [UInt8] {
        var step = try conversation.begin(command)
        // The longest command has three parts.
        for _ in 0..<4 {
            guard case .send(let bytes) = step else { break }
            step = try conversation.hear(try await reader.exchange(command: bytes))
        }
        guard case .finished(let data) = step else { throw ReaderError(.garbled) }
        return data
    }
}
