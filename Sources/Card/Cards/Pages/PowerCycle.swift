package import Tags

/// Power-cycles the tag and selects it again, so that new settings take effect.
package struct PowerCycle: TagProcedure {
    private let identity: TagIdentity

    package init(_ identity: TagIdentity) { self.identity = identity }

    package mutating func next(after event: TagEvent) -> TagStep<Void> {
        switch event {
        case .begin: .powerCycle
        case .selected(let reselected) where reselected.uid == identity.uid: .finish(())
        case .selected, .answer:
            .fail(CardStoreError(.otherTag, "a different tag is on the reader now"))
        case .failure(let kind):
            .fail(CardStoreError(.interrupted(kind), "its new settings could not be checked"))
        }
    }
}
