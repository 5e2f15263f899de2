package import Tags

/// Sets and verifies the password of a tag whose protection is off, or restores the factory
/// password.
///
/// Use this only while AUTH0 is known to be off and no earlier change to the protection was
/// interrupted: a torn PWD is a password that no one has, so no page may be protected yet. PACK is
/// cleared before PWD is written and is set afterward. So if the tag responds with the right PACK,
/// the write of PWD was acknowledged.
package struct SetPassword: TagProcedure {
    private enum State {
        case readingSettings, writing, verifying
    }

    private let chip: Type2Chip
    private let firstPage: UInt8
    private let password: TagPassword?
    private var state = State.readingSettings
    private var writes: ArraySlice<PageWrite> = []

    /// If `password` is `nil`, sets the factory password, which protects nothing. Returns `nil` for
    /// a chip that does not support passwords.
    package init?(_ password: TagPassword?, chip: Type2Chip) {
        guard let firstPage = chip.configurationPage else { return nil }
        self.password = password
        self.chip = chip
        self.firstPage = firstPage
    }

    package mutating func next(after event: TagEvent) -> TagStep<Void> {
        switch (state, event) {
        case (.readingSettings, .begin): return .exchange(Type2Command.read(firstPage).frame)
        case (.readingSettings, .answer(let answer)):
            guard let (cfg0, cfg1) = ReadConfiguration.pages(answer) else { return garbled }
            return begin(with: AccessConfiguration(cfg0, cfg1), cfg1)
        case (.writing, .answer(let answer)):
            guard answer.isEmpty else { return garbled }
            return write()
        case (.verifying, .answer(let answer)):
            // The right PACK shows that PWD was acknowledged, because PACK was zero while PWD was
            // being written.
            return answer == password?.pack ? .finish(()) : .fail(.wrongPassword)
        case (.verifying, .failure(.refused(NAK.invalidArgument))),
            (.verifying, .failure(.refused(NAK.authenticationLimit))):
            return .fail(.wrongPassword)
        case (_, .failure(let kind)):
            return .fail(CardStoreError(.interrupted(kind), "its password was not set"))
        case (_, .begin), (_, .selected): return garbled
        }
    }

    private mutating func begin(
        with found: AccessConfiguration, _ cfg1: Page
    ) -> TagStep<Void> {
        // If AUTH0 is on, a torn PWD would lock the tag permanently.
        guard !chip.isProtected(by: found) else { return .fail(.wrongPassword) }
        // The four pages are CFG0, CFG1, PWD, and PACK.
        let packPage = firstPage + 3
        // The factory values: PWD is all ones, and PACK is all zeros.
        guard let secret = Page(password?.password ?? [0xFF, 0xFF, 0xFF, 0xFF]),
            let pack = Page((password?.pack ?? [0, 0]) + [0, 0])
        else { return garbled }
        writes = [PageWrite(packPage, .zero), PageWrite(firstPage + 2, secret)]
        if password != nil {
            writes.append(PageWrite(packPage, pack))
            // If CFGLCK is set, protection can no longer be turned on, so a password would be
            // useless.
            if found.isLocked { return .fail(.lockedSettings) }
            // A limit set by other software has to be removed before any page requires the
            // password. The limit's bits may be weak even if they read as 0. If this write is torn,
            // some bits may be cleared, but none are newly set.
            writes.insert(
                PageWrite(firstPage + 1, AccessConfiguration.withoutPasswordLimit(cfg1)),
                at: writes.startIndex)
        }
        state = .writing
        return write()
    }

    private mutating func write() -> TagStep<Void> {
        if let next = writes.popFirst() {
            return .exchange(Type2Command.write(next.page, next.content).frame)
        }
        guard let password else { return .finish(()) }
        state = .verifying
        return .exchange(Type2Command.authenticate(password.password).frame)
    }

    private var garbled: TagStep<Void> {
        .fail(CardStoreError(.garbled, "the tag's response has the wrong length"))
    }
}
