import Cards
import Tags
import TapcardDomain
import TextCodecs

extension NTAG424CardError {
    /// Whether every further attempt would fail in the same way.
    var isPermanent: Bool {
        switch kind {
        case .chip(.impostor), .chip(.lrpMode), .unknownKeys, .otherChip, .lockedKey,
            .fixedSettings:
            true
        case .chip(.refused(let refusal)):
            switch refusal {
            case .authenticationFailed, .notAllowed, .noSuchFile, .noSuchKey,
                .wrongParameter, .outsideFile, .wrongLength:
                true
            // A damaged command or a temporary state of the chip can cause these.
            case .unknownCommand, .integrity, .authenticationDelayed, .aborted, .memory, .other:
                false
            }
        case .reader, .unknown, .doubtful, .chip, .otherCard, .unfinished, .notTried: false
        }
    }

    /// Whether the command was withheld because this tap has already used its key the maximum
    /// number of times.
    var isWithheldKey: Bool { if case .notTried = kind { true } else { false } }

    /// Whether the chip permanently refuses a key.
    var isLockedKey: Bool { if case .lockedKey = kind { true } else { false } }

    /// Whether the chip reports that it could not write to its memory.
    var isMemoryFailure: Bool { kind == .doubtful(.refused(.memory)) }

    /// Whether the chip refused a new key. It does so if the old key is not the one whose version
    /// it reports, but also if the command arrived damaged.
    var isRefusedKeyChange: Bool { kind == .doubtful(.refused(.integrity)) }

    /// Whether the cause may be that the chip's file settings are not those of a card. Only an
    /// error in an authenticated session counts, so reading the settings does not use up an
    /// authentication attempt.
    var mayBeDueToSettings: Bool {
        guard hadSession else { return false }
        switch kind {
        case .chip(.refused(let refusal)), .doubtful(.refused(let refusal)):
            switch refusal {
            case .notAllowed, .wrongLength, .integrity, .wrongParameter, .outsideFile: return true
            case .unknownCommand, .noSuchKey, .authenticationDelayed, .authenticationFailed,
                .aborted, .memory, .noSuchFile, .other:
                return false
            }
        case .chip(.unauthenticated), .chip(.malformed), .doubtful(.unauthenticated),
            .doubtful(.malformed):
            return true
        default: return false
        }
    }

    /// Whether this failure of a command that needs no key shows that the chip is not an NTAG 424.
    /// An NTAG 424 never refuses such a command in this way.
    var isFromAnotherChip: Bool {
        switch kind {
        case .chip(.refused(.unknownCommand)), .chip(.refused(.other)): true
        case .chip(.refused), .reader, .unknown, .doubtful, .chip, .otherCard, .unknownKeys,
            .unfinished, .otherChip, .lockedKey, .fixedSettings, .notTried:
            isPermanent
        }
    }

    /// Whether authentication failed: the card could not prove that it has the key, or it rejected
    /// our proof.
    var isUnauthenticated: Bool {
        kind == .chip(.impostor) || kind == .chip(.refused(.authenticationFailed))
    }
}

extension TapcardError {
    /// The error for a chip that has a card's number but cannot prove that it is that card.
    static func impostor(_ uid: CardUID) -> TapcardError {
        TapcardError(
            .copied, "The tag with number \(uid) failed the key check (AES authentication).",
            meaning: "The tag is a copy without the card's key and has no value; the money stays "
                + "with the real card in the ledger.", uid: uid)
    }

    /// The error for a chip whose keys were not derived from any of this station's keys.
    static func foreignChip(_ version: UInt8, _ uid: CardUID) -> TapcardError {
        TapcardError(
            .keyMissing,
            "This NTAG 424 has keys of version \(version), which were not derived from any of "
                + "this machine's keys.",
            meaning: "The card belongs to another issuer, or this machine is missing keys; no key "
                + "was tried, because the card counts failed attempts and may lock itself.",
            next: [.file(.importKeys)], uid: uid)
    }

    /// The error for a chip that rejected this station's key.
    static func otherIssuer(_ uid: CardUID) -> TapcardError {
        TapcardError(
            .keyMissing,
            "The NTAG 424 rejected this machine's key.",
            meaning: "The card belongs to another issuer, and nothing was changed. Do not try "
                + "again, because the card counts every rejected key.",
            next: [.tag(.useAnother)], uid: uid)
    }

    /// The error for a card or tag of another kind. `kind` is its common name.
    static func foreign(
        _ kind: String, _ identity: TagIdentity, answerToSelect: [UInt8] = [],
        because reason: String = "cannot be used as a card; only \(Chip.list("and")) can."
    ) -> TapcardError {
        var facts = ["UID \(Hexadecimal.encode(identity.uid))"]
        // Some readers do not report these bytes.
        if identity.family == .typeA, identity.answerToRequest != TagIdentity.notReported {
            facts.append("SAK \(Hexadecimal.encode([identity.selectAcknowledge]))")
        }
        if !answerToSelect.isEmpty { facts.append("ATS \(Hexadecimal.encode(answerToSelect))") }
        return TapcardError(
            .unsupportedTag,
            "\(kind.withArticle) (\(facts.joined(separator: ", "))) \(reason)",
            meaning: nothingWritten, next: [.tag(.useKnownChip)],
            uid: CardUID(bytes: identity.uid))
    }

    /// The error for a chip or phone that hides its number. No command was sent to it, because a
    /// card's keys depend on its number.
    static let hiddenNumber = TapcardError(
        .unsupportedTag, "This phone or tag has a random UID that changes with every tap.",
        meaning: "It cannot be used as a card. No command was sent to it.",
        next: [.tag(.useKnownChip)])

    /// The error for a chip that refused two keys and reported a different key version each time.
    static func inconsistentKeyVersions(_ uid: CardUID) -> TapcardError {
        TapcardError(
            .keyMissing,
            "The card refused its key twice in a row.",
            meaning: "The tag may be a copy, or something may be interfering between the reader "
                + "and the card (a relay or a man in the middle); no other key was tried, because "
                + "wrong keys are counted. The full balance is safe in the "
                + "ledger.", next: [.trust(.replaceIfGenuine)], uid: uid)
    }

    /// The error for a card whose chip can no longer write to its memory.
    static func worn(_ uid: CardUID) -> TapcardError {
        TapcardError(
            .unusableTag, "The tag reported a memory error during writing and is worn out.",
            meaning: moneyIsSafe, next: [.trust(.replace(uid))], uid: uid)
    }

    /// The error for a card that authenticated with one key and then refused another one twice. A
    /// single refusal may come from a command that arrived damaged.
    static func otherKey(_ number: KeyNumber, _ uid: CardUID) -> TapcardError {
        TapcardError(
            .unusableTag,
            "The card refused key number \(number.rawValue) twice; someone changed its keys, or "
                + "something is interfering with the connection.",
            meaning: moneyIsSafe, next: [.trust(.replace(uid))], uid: uid)
    }

    /// The error for a card that accepted its key 0 and then refused its new keys twice.
    static func refusingNewKeys(_ uid: CardUID) -> TapcardError {
        TapcardError(
            .unusableTag,
            "The card refused its newly set keys twice; someone changed its keys, or something is "
                + "interfering with the connection.",
            meaning: moneyIsSafe, next: [.trust(.replace(uid))], uid: uid)
    }

    /// The error for a card whose file settings have been altered.
    static func alteredSettings(_ uid: CardUID) -> TapcardError {
        TapcardError(
            .unusableTag,
            "Someone altered the card's file settings, so the card cannot be used.",
            meaning: moneyIsSafe, next: [.trust(.replace(uid))], uid: uid)
    }

    /// The error for a chip that can never become a card.
    static func cannotBecomeCard(_ error: NTAG424CardError, _ uid: CardUID) -> TapcardError {
        TapcardError(
            .unsupportedTag,
            error.isUnauthenticated
                ? "This NTAG 424 cannot become a card: its keys do not match the key versions that "
                    + "it reports."
                : "This tag cannot become a card: \(error.detail).",
            meaning: nothingWritten, next: [.tag(.useAnother)], uid: uid)
    }

    /// The error for a chip in factory state that has the number of a card in this ledger.
    static func factoryChip(_ uid: CardUID) -> TapcardError {
        TapcardError(
            .copied,
            "This NTAG 424 has the number of card \(uid), but it is in factory state and is not "
                + "that card.",
            meaning: "Only the number was copied, so the tag has no value; the full balance is "
                + "safe in the ledger.", uid: uid)
    }

    /// The error for a chip whose grant, the total of its top-ups, has reached its maximum.
    static func chipExhausted(_ uid: CardUID) -> TapcardError {
        TapcardError(
            .refusal(.numbersExhausted),
            "The card has reached its lifetime limit for top-ups; it can still be used for "
                + "payments but can no longer be topped up.",
            meaning: moneyIsSafe, next: [.trust(.replace(uid))], uid: uid)
    }

    /// Translates the failure of a command sent to an NTAG 424.
    init(_ error: NTAG424CardError) {
        switch error.kind {
        case .reader(let kind): self.init(ReaderError(kind, error.detail))
        // The write had already been sent, so the card may have either the old or the new content.
        case .unknown(let kind):
            self.init(CardStoreError(.interrupted(kind), error.detail))
        case .doubtful:
            self.init(CardStoreError(.interrupted(.garbled), error.detail))
        case .unknownKeys:
            self.init(
                .keyMissing, TapcardError.sentence(error.detail),
                meaning: "No key was tried, because the card counts wrong "
                    + "keys. The full balance is safe in the ledger.", next: [.file(.importKeys)])
        case .otherChip:
            self.init(
                .unsupportedTag, TapcardError.sentence(error.detail),
                meaning: TapcardError.unchanged, next: [.tag(.useKnownChip), .tag(.show)])
        // Before reading, the station asks the chip which keys it has. The rejected key was
        // therefore used for writing, after the card had already authenticated.
        case .chip(.impostor), .chip(.refused(.authenticationFailed)):
            self.init(
                .tagLost,
                "During writing, the card rejected one of its own keys, probably because the "
                    + "reader's field was too weak.",
                meaning: TapcardError.unchanged, next: [.tag(.tapAgain)])
        case .chip(.refused(.authenticationDelayed)):
            self.init(
                .tagLost,
                "The card is delaying authentication because many wrong keys were tried on it; "
                    + "keep it on the reader and wait.",
                meaning: TapcardError.unchanged)
        case .lockedKey(let number):
            self.init(
                .unusableTag,
                "Key \(number.rawValue) of the card is permanently blocked; someone tried too many "
                    + "wrong keys, or the card was switched to LRP mode.",
                meaning: TapcardError.moneyIsSafe, next: [.trust(.replace(nil))])
        case .chip(.lrpMode):
            self.init(
                .unsupportedTag,
                "The tag was switched to LRP mode for good; tapcard does not support that mode.",
                meaning: "No key was tried. If the tag is a card, its balance is safe in the "
                    + "ledger.",
                next: [.trust(.replace(nil))])
        case .chip(let kind) where error.isPermanent:
            self.init(
                .unsupportedTag, TapcardError.sentence(error.detail),
                meaning: TapcardError.moneyIsSafe,
                next: [.words(NTAG424Error(kind).nextStep)])
        case .fixedSettings:
            self.init(
                .unusableTag, TapcardError.sentence(error.detail),
                meaning: TapcardError.moneyIsSafe, next: [.trust(.replace(nil))])
        case .chip, .otherCard, .unfinished, .notTried:
            self.init(ReaderError(.garbled, error.detail))
        }
    }
}
