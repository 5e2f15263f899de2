/// A password while it is being typed, which nobody sees.
///
/// One that is too long is not cut, where nobody would see it: whoever asks refuses it.
public struct TypedPassword: Hashable, Sendable {
    /// More than any password has: what comes behind it is a key that got stuck.
    public static let mostBytes = 65_536

    public private(set) var text = ""

    public init() {}

    public mutating func append(_ character: Character) {
        guard text.utf8.count < TypedPassword.mostBytes else { return }
        text.append(character)
    }

    /// Takes the last character back.
    public mutating func eraseLast() { text = String(text.dropLast()) }

    public mutating func clear() { text = "" }
}
