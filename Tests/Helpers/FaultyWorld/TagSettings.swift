package import CardCryptography
package import Cards
package import Ledger
package import Tags

extension TagMemory {
    /// Whether a write to any page requires the password.
    package var asksForPassword: Bool {
        guard let first = chip.configurationPage else { return false }
        return chip.isProtected(by: AccessConfiguration(self[first], self[first + 1]))
    }

    /// The difference between a tag's settings and the ledger's, in words; nil where they agree or
    /// are being switched. It includes password and PACK, which no reader can read.
    package func settingsDiffer(from protection: CardProtection, _ keys: KeyRing) -> String? {
        guard protection.isStable, let first = chip.configurationPage else { return nil }
        let settings = AccessConfiguration(self[first], self[first + 1])
        guard let keyID = protection.possiblyRequiredKeyID else {
            if asksForPassword { return "it asks for a password" }
            let isFactorys =
                self[first + 2].bytes.allSatisfy { $0 == 0xFF } && self[first + 3] == .zero
            return isFactorys ? nil : "a password was left on it"
        }
        guard let masters = keys.entry(keyID)?.masters else { return "key \(keyID) is not there" }
        let password = TagPassword(masters, uid: uid)
        guard settings.isFullProtection else {
            return "not all of it is protected: AUTH0 is \(settings.firstProtected)"
        }
        return has(password) ? nil : "it has another password than the card's"
    }

    /// Whether the tag has this password and its proof (PACK).
    package func has(_ password: TagPassword) -> Bool {
        guard let first = chip.configurationPage else { return false }
        return self[first + 2].bytes.elementsEqual(password.password)
            && self[first + 3].bytes.prefix(2).elementsEqual(password.pack)
    }
}

extension RestingWorld {
    /// The tag protects what the ledger says, or it is open.
    func protectionBroken() -> [Violation] {
        guard let card, case .pages(let tag) = memory,
            let difference = tag.settingsDiffer(from: card.protection, Scene.keys)
        else { return [] }
        return [
            Violation(
                .protection,
                "protection is \(card.protection.word) in the ledger, and \(difference)"
            )
        ]
    }
}
