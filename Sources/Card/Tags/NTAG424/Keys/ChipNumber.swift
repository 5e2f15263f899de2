import TapcardDomain

extension CardUID {
    /// The number of bytes.
    static let size = 7
}
