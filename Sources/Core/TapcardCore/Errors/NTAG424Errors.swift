import Cards
import Tags
import TapcardDomain
import TextCodecs

extension NTAG424CardError {
    /// Whether another try cannot end differently.
    var isForGood: Bool {
        switch kind {
        case .chip(.impostor), .chip(.otherProtocol), .unknownKeys, .otherChip, .deadKey,
            .fixedSettings:
            true
        case .chip(.refused(let refusal)):
            switch refusal {
            case .authenticationFailed, .notAllowed, .noSuchFile, .noSuchKey,
                .wrongParameter, .outsideFile, .wrongLength:
                true
            case .unknownCommand, .integrity, .authenticationDelayed, .aborted, .memory, .other:
                false
            }
        case .reader, .unknown, .doubtful, .chip, .otherCard, .unfinished, .spared: false
        }
    }

    /// Whether the tap ended because it had sent a key as often as it may.
    var sparesKey: Bool { if case .spared = kind { true } else { false } }

    /// Whether the chip no longer takes a key.
    var isOfDeadKey: Bool { if case .deadKey = kind { true } else { false } }

    /// Whether the chip reports that it could not write its memory.
    var isOfMemory: Bool { kind == .doubtful(.refused(.memory)) }

    /// Whether the chip refused a new key, as it does if the old one is not that of its version. It
    /// also answers so to a command that arrives damaged.
    var isOfChangedKey: Bool { kind == .doubtful(.refused(.integrity)) }

    /// Whether a card answers so if its files have other settings than a card's. It has proved its
    /// key already, so asking for them wastes no attempt.
    var mayComeOfSettings: Bool {
        guard isOfSession else { return false }
        switch kind {
        case .chip(.refused(let refusal)), .doubtful(.refused(let refusal)):
            switch refusal {
            case .notAllowed, .wrongLength, .integrity, .wrongParameter, .outsideFile: return true
            case .unknownCommand, .noSuchKey, .authenticationDelayed, .authenticationFailed,
                .aborted, .memory, .noSuchFile, .other:
                return false
            }
        case .chip(.unproved), .chip(.malformed), .doubtful(.unproved), .doubtful(.malformed):
            return true
        default: return false
        }
    }

    /// Whether an NTAG 424 would never refuse so what needs no key.
    var isOfAnotherChip: Bool {
        switch kind {
        case .chip(.refused(.unknownCommand)), .chip(.refused(.other)): true
        case .chip(.refused), .reader, .unknown, .doubtful, .chip, .otherCard, .unknownKeys,
            .unfinished, .otherChip, .deadKey, .fixedSettings, .spared:
            isForGood
        }
    }

    /// Whether the card could not prove that it has the key, or refused ours.
    var isImpostor: Bool {
        kind == .chip(.impostor) || kind == .chip(.refused(.authenticationFailed))
    }
}

extension TapcardError {
    /// The error of a chip that cannot prove that it is the card with its number.
    static func impostor(_ uid: CardUID) -> TapcardError {
        TapcardError(
            .copied, "This tag cannot prove that it is card \(uid): it lacks the card's key.",
            meaning: "It is a copy, and worth nothing; the money is safe in the ledger.", uid: uid)
    }

    /// The error of a chip with keys that no key of this station made.
    static func foreignChip(_ version: UInt8, _ uid: CardUID) -> TapcardError {
        TapcardError(
            .keyMissing,
            "The NTAG 424 has keys of version \(version), which no key of this station has made.",
            meaning: "Nothing was tried on it, because it counts wrong keys.",
            next: [.file(.importKeys)], uid: uid)
    }

    /// The error of a chip that refused a key of this station.
    static func otherIssuer(_ uid: CardUID) -> TapcardError {
        TapcardError(
            .keyMissing,
            "The NTAG 424 has refused this station's key: it is a card of another issuer.",
            meaning: "It counts refused keys, so do not keep trying. Nothing was changed.",
            next: [.tag(.useAnother)], uid: uid)
    }

    /// The error of a card or tag of another kind, named as it is commonly known.
    static func foreign(
        _ kind: String, _ identity: TagIdentity, answerToSelect: [UInt8] = []
    ) -> TapcardError {
        var facts = ["UID \(Hexadecimal.encode(identity.uid))"]
        // A reader that does not report these bytes leaves nothing to print.
        if identity.family == .typeA, identity.answerToRequest != TagIdentity.notTold {
            facts.append("SAK \(Hexadecimal.encode([identity.selectAcknowledge]))")
        }
        if !answerToSelect.isEmpty { facts.append("ATS \(Hexadecimal.encode(answerToSelect))") }
        return TapcardError(
            .unsupportedTag,
            "\(kind.withArticle) (\(facts.joined(separator: ", "))) is not a chip that tapcard keeps "
                + "cards on.", meaning: "Nothing was written to it.", next: [.tag(.useKnownChip)],
            uid: CardUID(bytes: identity.uid))
    }

    /// The error of a chip or phone that hides its number. No command was sent to it, because its
    /// keys depend on the number.
    static let hiddenNumber = TapcardError(
        .unsupportedTag, "This chip or phone shows another number at each tap (random UID).",
        meaning: "Nothing was tried on it or written to it.", next: [.tag(.useKnownChip)])

    /// The error of a chip that refused two keys and named another version each time.
    static func untrueVersions(_ uid: CardUID) -> TapcardError {
        TapcardError(
            .keyMissing,
            "The tag has refused this station's key twice: it is a copy, or something on the line "
                + "changes what is sent.",
            meaning: "No other key was tried, because an NTAG 424 counts wrong ones. The money is "
                + "safe in the ledger.", next: [.trust(.replaceIfGenuine)], uid: uid)
    }

    /// The error of a card whose chip can no longer write its memory.
    static func worn(_ uid: CardUID) -> TapcardError {
        TapcardError(
            .unusableTag, "The card is worn out: its NTAG 424 says that it cannot write.",
            meaning: "The money is safe in the ledger.", next: [.trust(.replace(uid))], uid: uid)
    }

    /// The error of a card that proved itself with one key and then refused another twice, in case
    /// it arrived damaged the first time.
    static func otherKey(_ number: KeyNumber, _ uid: CardUID) -> TapcardError {
        TapcardError(
            .unusableTag,
            "The card has refused its key \(number.rawValue) twice: somebody has given it another "
                + "one, or something on the line changes what is sent.",
            meaning: "The money is safe in the ledger.", next: [.trust(.replace(uid))], uid: uid)
    }

    /// The error of a card that accepted its key 0 and then refused its new keys twice.
    static func refusesKeys(_ uid: CardUID) -> TapcardError {
        TapcardError(
            .unusableTag,
            "The card has refused its new keys twice: somebody has changed those that it has, or "
                + "something on the line changes what is sent.",
            meaning: "The money is safe in the ledger.", next: [.trust(.replace(uid))], uid: uid)
    }

    /// The error of a card that proved to have other file settings than a card's.
    static func alteredSettings(_ uid: CardUID) -> TapcardError {
        TapcardError(
            .unusableTag,
            "Somebody has changed the settings of the card: no station can use it.",
            meaning: "The money is safe in the ledger.", next: [.trust(.replace(uid))], uid: uid)
    }

    /// The error of a chip that can never become a card.
    static func unmakeable(_ error: NTAG424CardError, _ uid: CardUID) -> TapcardError {
        TapcardError(
            .unsupportedTag,
            error.isImpostor
                ? "This NTAG 424 has other keys than it says: it cannot become a card."
                : "This tag cannot become a card: \(error.detail).",
            meaning: "Nothing was written to it.", next: [.tag(.useAnother)], uid: uid)
    }

    /// The error of a card of this ledger on a chip that is not a card.
    static func factoryChip(_ uid: CardUID) -> TapcardError {
        TapcardError(
            .copied, "This NTAG 424 has the keys of the factory, and so it is not card \(uid).",
            meaning: "It is a copy of the number, and worth nothing; the money is safe in the "
                + "ledger.", uid: uid)
    }

    /// The error of a chip whose grant cannot grow any further.
    static func chipExhausted(_ uid: CardUID) -> TapcardError {
        TapcardError(
            .refusal(.numbersExhausted), "The card has had all the credit that it can count.",
            meaning: "The money is safe in the ledger.", next: [.trust(.replace(uid))], uid: uid)
    }

    init(_ error: NTAG424CardError) {
        switch error.kind {
        case .reader(let kind): self.init(ReaderError(kind, error.detail))
        case .unknown(let kind):
            self.init(CardStoreError(.interrupted(kind), error.detail))
        case .doubtful:
            self.init(CardStoreError(.interrupted(.garbled), error.detail))
        case .unknownKeys:
            self.init(
                .keyMissing, TapcardError.sentence(error.detail),
                meaning: "No key of that version was tried, because an NTAG 424 counts wrong ones. "
                    + "The money is safe in the ledger.", next: [.file(.importKeys)])
        case .otherChip:
            self.init(
                .unsupportedTag, TapcardError.sentence(error.detail),
                meaning: TapcardError.unchanged, next: [.tag(.useKnownChip), .tag(.show)])
        // A look asks the chip which keys it has, so this is a key sent to write, after the card
        // has already proved itself.
        case .chip(.impostor), .chip(.refused(.authenticationFailed)):
            self.init(
                .tagLost, "The card has not taken one of its keys.",
                meaning: TapcardError.unchanged, next: [.tag(.holdAgain)])
        case .chip(.refused(.authenticationDelayed)):
            self.init(
                .tagLost, "Somebody has tried many wrong keys on the card: it lets us wait.",
                meaning: TapcardError.unchanged)
        case .deadKey(let number):
            self.init(
                .unusableTag,
                "The NTAG 424 takes key \(number.rawValue) no more: somebody has tried too many "
                    + "wrong ones, or has switched it to another protocol.",
                meaning: "The money is safe in the ledger.", next: [.trust(.replace(nil))])
        case .chip(.otherProtocol):
            self.init(
                .unsupportedTag,
                "The NTAG 424 was switched to its other protocol (LRP), which tapcard does not "
                    + "know.",
                meaning: "No key was tried on it. The money of a card is safe in the ledger.",
                next: [.trust(.replace(nil))])
        case .chip(let kind) where error.isForGood:
            self.init(
                .unsupportedTag, TapcardError.sentence(error.detail),
                meaning: "The money is safe in the ledger.",
                next: [.words(NTAG424Error(kind).nextStep)])
        case .fixedSettings:
            self.init(
                .unusableTag, TapcardError.sentence(error.detail),
                meaning: "The money is safe in the ledger.", next: [.trust(.replace(nil))])
        case .chip, .otherCard, .unfinished, .spared:
            self.init(ReaderError(.garbled, error.detail))
        }
    }
}
