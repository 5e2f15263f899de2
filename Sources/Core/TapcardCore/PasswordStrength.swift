public import TapcardDomain

/// What a new password has to be, so that nobody guesses it in the tries that they have.
public enum PasswordStrength {
    /// In characters.
    public static let shortest = 10
    /// Of those that are left when words are taken out that everybody tries.
    private static let fewestOfItsOwn = 5

    private static let common = [
        "password", "passwort", "passw0rd", "kennwort", "contraseña", "motdepasse", "qwertyuiop",
        "qwertzuiop", "azertyuiop", "asdfghjkl", "yxcvbnm", "zxcvbnm", "qwerty", "qwertz", "azerty",
        "abcdefghijklmnopqrstuvwxyz", "abcdef", "1234567890", "0987654321", "12345", "123",
        "iloveyou", "letmein", "welcome", "dragon", "monkey", "sunshine", "princess", "football",
        "admin",
        "changeme", "secret", "cashier", "tapcard", "counter",
    ]

    /// What is wrong with it, in words; nil where it is good enough.
    public static func objection(to password: String, of name: CashierName) -> String? {
        guard password.count >= shortest else {
            return "The password is too short: it needs \(shortest) characters."
        }
        var rest = password.lowercased()
        for word in [name.text.lowercased()] + common { rest = rest.replacing(word, with: "") }
        guard Set(rest).count < fewestOfItsOwn else { return nil }
        return "The password is too easy to guess: beside the name, words that everybody tries and "
            + "what is there twice it needs \(fewestOfItsOwn) characters."
    }
}
