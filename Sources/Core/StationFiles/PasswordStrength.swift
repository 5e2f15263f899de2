package import TapcardDomain

/// The requirements for a new password. A password that meets them is too hard to guess within the
/// number of attempts allowed.
package enum PasswordStrength {
    /// The minimum number of characters.
    package static let minimumLength = 10
    /// The minimum number of different characters that must remain after the name and common words
    /// are removed.
    private static let minDistinctCharacters = 5

    private static let common = [
        "password", "passwort", "passw0rd", "kennwort", "contraseña", "motdepasse", "qwertyuiop",
        "qwertzuiop", "azertyuiop", "asdfghjkl", "yxcvbnm", "zxcvbnm", "qwerty", "qwertz", "azerty",
        "abcdefghijklmnopqrstuvwxyz", "abcdef", "1234567890", "0987654321", "12345", "123",
        "iloveyou", "letmein", "welcome", "dragon", "monkey", "sunshine", "princess", "football",
        "admin",
        "changeme", "secret", "cashier", "tapcard", "counter",
    ]

    /// A sentence that says what is wrong with a password; nil if it is strong enough.
    package static func objection(to password: String, of name: CashierName) -> String? {
        guard password.count >= minimumLength else {
            return "The password must have at least \(minimumLength) characters."
        }
        var rest = password.lowercased()
        // Attackers try the name and common words first, so these do not count.
        for word in [name.text.lowercased()] + common { rest = rest.replacing(word, with: "") }
        guard Set(rest).count < minDistinctCharacters else { return nil }
        return "The password is too easy to guess: apart from the name, common words, and repeated "
            + "characters, it needs at least \(minDistinctCharacters) different characters."
    }
}
