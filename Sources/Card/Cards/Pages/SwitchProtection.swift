package import Tags

/// Turns a tag's password protection on or off.
///
/// CFG0 is written only after PWD_AUTH has confirmed the card's password in the same field period,
/// so even if the page is torn, we know the password that the tag requires. CFG0 is written even if
/// it already reads correctly, because a WRITE that was not acknowledged may have left weak bits.
package struct SwitchProtection: TagProcedure {
    /// The target state of the tag.
    package enum Target: Hashable, Sendable {
        /// Protected. To verify this, the probe page is written with its current content, once
        /// without and once with the password.
        case on(probe: PageWrite)
        case off
    }

    private enum State {
        case readingSettings, authenticating, removingLimit, switching, powerCycling, checking
        case comparing, writingWithoutPassword, reselecting, reauthenticating, comparingAgain,
            writingWithPassword
    }

    private let identity: TagIdentity
    private let chip: Type2Chip
    private let firstPage: UInt8
    private let password: TagPassword
    private let target: Target
    private var state = State.readingSettings
    /// The new content of CFG1, without a limit on wrong passwords.
    private var unlimitedCFG1 = Page.zero

    /// `nil` for a chip that does not support passwords.
    package init?(
        _ target: Target, _ identity: TagIdentity, chip: Type2Chip, password: TagPassword
    ) {
        guard let firstPage = chip.configurationPage else { return nil }
        self.target = target
        self.identity = identity
        self.chip = chip
        self.firstPage = firstPage
        self.password = password
    }

    package mutating func next(after event: TagEvent) -> TagStep<Void> {
        switch event {
        case .begin: return go(to: .readingSettings, .exchange(Type2Command.read(firstPage).frame))
        case .selected(let reselected):
            guard reselected.uid == identity.uid else {
                return .fail(CardStoreError(.otherTag, "a different tag is on the reader now"))
            }
            return state == .powerCycling
                ? go(to: .checking, .exchange(Type2Command.read(firstPage).frame))
                : authenticate(.reauthenticating)
        case .answer(let answer): return after(answer)
        case .failure(let kind): return after(kind)
        }
    }

    private mutating func after(_ answer: [UInt8]) -> TagStep<Void> {
        switch state {
        case .readingSettings, .checking:
            guard let (cfg0, cfg1) = ReadConfiguration.pages(answer) else { return garbled }
            let found = AccessConfiguration(cfg0, cfg1)
            return state == .readingSettings ? begin(with: found, cfg1) : check(found)
        case .authenticating:
            guard password.isAnswered(by: answer) else { return .fail(.wrongPassword) }
            // CFG1 is written before CFG0, because an AUTHLIM set by other software must be gone
            // before the tag requires the password.
            return target == .off ? writeCFG0() : removeLimit()
        case .removingLimit:
            return answer.isEmpty ? writeCFG0() : garbled
        case .reauthenticating:
            guard password.isAnswered(by: answer) else { return .fail(.wrongPassword) }
            return readProbe(.comparingAgain)
        case .comparing: return compare(answer, .writingWithoutPassword)
        case .comparingAgain: return compare(answer, .writingWithPassword)
        case .writingWithoutPassword:
            // If the chip acknowledges a write without the password, it does not enforce its
            // settings.
            return .fail(
                CardStoreError(
                    .ignoresPassword, "a page can be written without the password"))
        case .switching:
            // The chip does not apply CFG0 until its next power-up.
            return answer.isEmpty ? go(to: .powerCycling, .powerCycle) : garbled
        case .writingWithPassword:
            return answer.isEmpty ? .finish(()) : garbled
        case .powerCycling, .reselecting: return garbled
        }
    }

    private mutating func after(_ failure: ReaderError.Kind) -> TagStep<Void> {
        switch (state, failure) {
        // This NAK is the desired result: the tag refused the write. The NAK also deselected the
        // tag.
        case (.writingWithoutPassword, .refused): go(to: .reselecting, .select)
        case (.authenticating, .refused(NAK.invalidArgument)),
            (.authenticating, .refused(NAK.authenticationLimit)),
            (.reauthenticating, .refused(NAK.invalidArgument)):
            .fail(.wrongPassword)
        default:
            .fail(
                CardStoreError(
                    .interrupted(failure), "the write protection was not changed completely"))
        }
    }

    private mutating func begin(
        with found: AccessConfiguration, _ cfg1: Page
    ) -> TagStep<Void> {
        // CFGLCK makes the tag refuse every write to CFG0 and CFG1.
        if found.isLocked { return .fail(.lockedSettings) }
        // The tag counts wrong passwords and locks permanently when the limit is reached.
        guard found.passwordLimit == 0 else { return .fail(.limitsPasswords) }
        unlimitedCFG1 = AccessConfiguration.withoutPasswordLimit(cfg1)
        return authenticate(.authenticating)
    }

    private mutating func removeLimit() -> TagStep<Void> {
        go(to: .removingLimit, .exchange(Type2Command.write(firstPage + 1, unlimitedCFG1).frame))
    }

    private mutating func writeCFG0() -> TagStep<Void> {
        let first =
            target == .off ? AccessConfiguration.nothing : AccessConfiguration.everything
        let cfg0 = AccessConfiguration.cfg0(firstProtected: first)
        return go(to: .switching, .exchange(Type2Command.write(firstPage, cfg0).frame))
    }

    /// Checks after the power cycle whether the tag has the target configuration.
    private mutating func check(_ found: AccessConfiguration) -> TagStep<Void> {
        switch target {
        case .on:
            // A chip can have these settings without enforcing them, so a write is attempted.
            return found.isFullProtection ? readProbe(.comparing) : differs
        case .off:
            return chip.isProtected(by: found) ? differs : .finish(())
        }
    }

    private mutating func readProbe(_ next: State) -> TagStep<Void> {
        guard case .on(let probe) = target else { return differs }
        return go(to: next, .exchange(Type2Command.read(probe.page).frame))
    }

    /// Checks the probe page before it is written. The page must still have this card's content:
    /// the tag lost power or was selected again, and may have been on another reader in the
    /// meantime.
    private mutating func compare(_ answer: [UInt8], _ next: State) -> TagStep<Void> {
        // READ returns four pages, the first of which is the probe page.
        guard case .on(let probe) = target, answer.prefix(4).elementsEqual(probe.content.bytes)
        else { return differs }
        return go(to: next, .exchange(Type2Command.write(probe.page, probe.content).frame))
    }

    private mutating func authenticate(_ next: State) -> TagStep<Void> {
        go(to: next, .exchange(Type2Command.authenticate(password.password).frame))
    }

    private mutating func go(to next: State, _ step: TagStep<Void>) -> TagStep<Void> {
        state = next
        return step
    }

    private var garbled: TagStep<Void> {
        .fail(CardStoreError(.garbled, "the tag's response has the wrong length"))
    }

    private var differs: TagStep<Void> {
        .fail(
            CardStoreError(
                .differs, "the content that was read back differs from what was written"))
    }
}
