package import Tags

/// Sends one command to the reader and returns the reader's complete response, including the
/// status.
package typealias Transmit = (_ command: [UInt8]) throws(ReaderError) -> [UInt8]

/// A protocol for passing frames through a reader to a tag. It sends commands through a closure, so
/// it does not depend on pcscd.
package protocol TagProtocol: Sendable {
    /// The maximum number of data bytes in one response.
    static var maximumAnswerLength: Int { get }
    /// Whether the card has to be reset before it can be selected again.
    static var selectsByReset: Bool { get }

    /// Prepares the reader, once per connection; returns `false` if the reader does not support
    /// this protocol.
    func prepare(_ transmit: Transmit) throws(ReaderError) -> Bool

    /// Selects the tag, even if it was already selected; returns `nil` if no tag responds.
    func select(
        answerToReset: [UInt8], _ transmit: Transmit
    ) throws(ReaderError) -> TagIdentity?

    /// Sends one frame and returns the response. Neither includes a CRC.
    func exchange(_ frame: [UInt8], _ transmit: Transmit) throws(ReaderError) -> [UInt8]

    /// Switches the field off.
    func switchOff(_ transmit: Transmit) throws(ReaderError)
}

/// The protocol that a reader probably supports, judging by the name that its driver gives it.
package struct KnownReader: Sendable {
    /// Part of the name, in lower case.
    package let fragment: String
    let tagProtocol: any TagProtocol

    package static let all = [
        KnownReader(fragment: "acr122", tagProtocol: DirectTransmit()),
        KnownReader(fragment: "acr1251", tagProtocol: TransparentExchange()),
        KnownReader(fragment: "acr1252", tagProtocol: TransparentExchange()),
        KnownReader(fragment: "acr1255", tagProtocol: TransparentExchange()),
        KnownReader(fragment: "acr1281", tagProtocol: TransparentExchange()),
        KnownReader(fragment: "acr1552", tagProtocol: TransparentExchange()),
    ]

    /// The protocol for a reader with this name. The default is the storage-card commands, which
    /// every standard-compliant reader supports.
    static func tagProtocol(for name: String) -> any TagProtocol {
        let name = name.lowercased()
        return all.first { name.contains($0.fragment) }?.tagProtocol ?? StorageCommands()
    }
}

extension TagProtocol {
    /// The maximum number of data bytes in one response, for code that does not know the concrete
    /// type.
    var answerLimit: Int { Self.maximumAnswerLength }
    var needsReset: Bool { Self.selectsByReset }
}
