/// One of the five keys of the chip's application.
package enum KeyNumber: UInt8, CaseIterable, Hashable, Sendable {
    /// The only key that can change keys and settings.
    case application = 0
    case one
    case two
    case three
    case four
}
