/// The format in which a tag presents card data to phones.
public enum FaceStyle: String, Sendable, CaseIterable {
    /// tapcard's own JSON in a Text record.
    case tapcard
    /// The record that an existing iPhone app reads and writes.
    case iosApp = "ios-app"
}
