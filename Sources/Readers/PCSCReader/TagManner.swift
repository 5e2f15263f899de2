package import TagReading

/// Sends one command to the reader and returns its whole answer, status included.
package typealias Transmit = (_ command: [UInt8]) throws(ReaderError) -> [UInt8]

/// How frames get through a reader to a tag. What it sends goes through a closure: nothing here
/// knows pcscd.
package protocol TagManner: Sendable {
    /// The most data bytes that one answer carries.
    static var longestAnswer: Int { get }
    /// Whether the reader has to be reset before a tag can be selected afresh.
    static var selectsByReset: Bool { get }

    /// Readies the reader, once a connection; false where it does not understand this manner.
    func prepare(_ transmit: Transmit) throws(ReaderError) -> Bool

    /// Selects the tag, afresh if it was selected; nil where none answers.
    func select(
        answerToReset: [UInt8], _ transmit: Transmit
    ) throws(ReaderError) -> TagIdentity?

    /// One frame without CRC and its answer.
    func exchange(_ frame: [UInt8], _ transmit: Transmit) throws(ReaderError) -> [UInt8]

    /// Switches the field off.
    func switchOff(_ transmit: Transmit) throws(ReaderError)
}

/// Which manner a reader is likely to understand, by the name that its driver gives it.
struct KnownReader: Sendable {
    /// What its name contains, in small letters.
    let fragment: String
    let manner: any TagManner

    static let all = [
        KnownReader(fragment: "acr122", manner: DirectTransmit()),
        KnownReader(fragment: "acr1251", manner: TransparentExchange()),
        KnownReader(fragment: "acr1252", manner: TransparentExchange()),
        KnownReader(fragment: "acr1255", manner: TransparentExchange()),
        KnownReader(fragment: "acr1281", manner: TransparentExchange()),
        KnownReader(fragment: "acr1552", manner: TransparentExchange()),
    ]

    /// Every reader of the standard understands the commands for storage cards.
    static func manner(for name: String) -> any TagManner {
        let name = name.lowercased()
        return all.first { name.contains($0.fragment) }?.manner ?? StorageCommands()
    }
}

extension TagManner {
    /// The same of a value whose type is not known.
    var answerLimit: Int { Self.longestAnswer }
    var needsReset: Bool { Self.selectsByReset }
}
