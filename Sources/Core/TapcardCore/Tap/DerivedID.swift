import CardCryptography
import TapcardDomain

extension UniqueID {
    /// Derives an ID for a purpose from this one, so that a retry gets the same ID.
    func derived(for purpose: String) -> UniqueID { UniqueID(for: purpose, bytes) }

    /// Derives the ID from a purpose and its subject.
    init(for purpose: String, _ subject: [UInt8]) {
        let digest = SHA256.digest(Array("tapcard/\(purpose)/".utf8) + subject)
        guard let id = UniqueID(random: Array(digest.prefix(16))) else {
            preconditionFailure("a digest has fewer bytes than an id")
        }
        self = id
    }
}
