import TapcardDomain

extension CardUID {
    /// The number of bytes in a UID.
    static let size = 7
}
