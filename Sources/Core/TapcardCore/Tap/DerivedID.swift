import CardCryptography
import TapcardDomain

extension UniqueID {
    /// Derives an ID for another purpose from this ID, so that a retry uses the same derived ID.
    func derived(for purpose: String) -> UniqueID { UniqueID(for: purpose, bytes) }

    /// Derives the ID from a purpose and a subject, such as another ID.
    init(for purpose: String, _ subject: [UInt8]) {
        let digest = SHA256.digest(Array("tapcard/\(purpose)/".utf8) + subject)
        guard let id = UniqueID(random: Array(digest.prefix(16))) else {
            preconditionFailure("the digest has fewer bytes than an ID")
        }
        self = id
    }
}
