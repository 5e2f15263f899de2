/// The format in which phones see a card's data on a tag.
public enum FaceStyle: String, Sendable, CaseIterable {
    /// tapcard's own JSON in a Text record.
    case tapcard
    /// The record that an existing iPhone app reads and writes.
    case iosApp = "ios-app"
}
