package import Tags

/// Tries passwords on a protected tag and returns the index of the one that the tag accepts, or
/// `nil`.
///
/// Use this only for a tag that does not count wrong passwords. On any other tag, a few attempts
/// would lock the tag permanently.
package struct FindPassword: TagProcedure {
    private let identity: TagIdentity
    private let passwords: [TagPassword]
    private var tried = 0

    package init(_ identity: TagIdentity, among passwords: [TagPassword]) {
        self.identity = identity
        self.passwords = passwords
    }

    package mutating func next(after event: TagEvent) -> TagStep<Int?> {
        switch event {
        case .begin: break
        case .selected(let reselected):
            // Another tag may count wrong passwords.
            guard reselected.uid == identity.uid else {
                return .fail(CardStoreError(.otherTag, "a different tag is on the reader now"))
            }
        case .answer(let pack) where passwords[tried].isAnswered(by: pack): return .finish(tried)
        case .answer, .failure(.refused(NAK.invalidArgument)),
            .failure(.refused(NAK.authenticationLimit)):
            // After a NAK, the tag stops responding, so it must be selected again before the next
            // attempt.
            tried += 1
            return .select
        case .failure(let kind):
            return .fail(CardStoreError(.reader(kind), "the tag was not read completely"))
        }
        guard tried < passwords.count else { return .finish(nil) }
        return .exchange(Type2Command.authenticate(passwords[tried].password).frame)
    }
}
