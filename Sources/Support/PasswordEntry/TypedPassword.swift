/// A password while it is being typed, hidden from view.
///
/// One that is too long is not cut, because the user would not see that: the caller refuses it.
public struct TypedPassword: Hashable, Sendable {
    /// The most bytes. No password has more; further ones come from a key that got stuck.
    public static let mostBytes = 65_536

    public private(set) var text = ""

    public init() {}

    public mutating func append(_ character: Character) {
        guard text.utf8.count < TypedPassword.mostBytes else { return }
        text.append(character)
    }

    /// Removes the last character.
    public mutating func eraseLast() { text = String(text.dropLast()) }

    public mutating func clear() { text = "" }
}
