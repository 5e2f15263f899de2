package import TapcardDomain

/// The number of the chip, under the name that it has in the domain.
package typealias CardUID = TapcardDomain.CardUID

extension CardUID {
    /// The number of bytes.
    static let size = 7

    /// Nil if these are not 7 bytes.
    package init?(_ bytes: [UInt8]) { self.init(bytes: bytes) }
}
