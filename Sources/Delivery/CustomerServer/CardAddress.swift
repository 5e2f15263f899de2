package import CardCryptography
package import Ledger
package import Tags
package import TapcardDomain
package import WebServer

extension TapMessage {
    /// The path in a card's address.
    package static let path = "/c"
    private static let names = ["p", "d", "m"]

    /// Reads the message from the fields of an address or a form. Each of the three fields must
    /// occur exactly once, and there must be no others.
    package init?(_ fields: [WebField]) {
        let values = TapMessage.names.compactMap { name in
            fields.first { $0.name == name }?.value
        }
        guard fields.count == TapMessage.names.count, values.count == fields.count,
            let message = try? TapMessage(identity: values[0], data: values[1], code: values[2])
        else { return nil }
        self = message
    }

    /// The values, under the names they have in the address.
    var fields: [WebField] {
        zip(TapMessage.names, [identity, data, code]).map { WebField($0, $1) }
    }
}

/// A card and the counter from its address, both authenticated by the code from the card's chip.
package struct VerifiedCard: Hashable, Sendable {
    package let uid: CardUID
    package let counter: ReadCounter
}

extension CustomerKeys {
    /// The card that created the message, or nil if no key of the issuer verifies it.
    package func card(in message: TapMessage) -> VerifiedCard? {
        // The newest keys are tried first, because the issuer's latest cards were made with them.
        for pair in pairs.reversed() {
            let content = try? message.verify(metaKey: pair.meta) { uid in
                CustomerKeys.fileKey(of: uid, from: pair.file)
            }
            // With the wrong key, verification fails, and the next key is tried.
            guard let identity = content?.identity,
                let counter = ReadCounter(identity.reads)
            else { continue }
            return VerifiedCard(uid: identity.uid, counter: counter)
        }
        return nil
    }

    /// The key of one card, derived from the master key.
    package static func fileKey(of uid: CardUID, from master: AESKey) -> AESKey {
        KeyDiversification.key(from: master, uid: uid, number: .two, issuer: CardKeys.issuer)
    }
}
