/// A password while it is being typed, which nobody sees. What is beyond its length is not taken.
public struct TypedPassword: Hashable, Sendable {
    public static let mostBytes = 1_024

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
