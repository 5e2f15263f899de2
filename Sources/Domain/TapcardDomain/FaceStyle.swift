/// The format of the card data that phones read from a tag.
public enum FaceStyle: String, Sendable, CaseIterable {
    /// tapcard's own JSON format, in an NDEF Text record.
    case tapcard
    /// The record format that an existing iPhone app reads and writes.
    case iosApp = "ios-app"
}
