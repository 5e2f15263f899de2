import ReaderDiagnosis
import Tags
import TapcardCore
import TapcardDomain
import TextCodecs

extension Parameter<String?> {
    fileprivate static var dumpFile: Self {
        .optionalArgument("FILE", .file, "New file to write (default: `-`, standard output)")
    }
}

extension Parameter<TagDump.Format?> {
    fileprivate static var format: Self {
        .option(
            "format", "FORMAT", .choice(TagDump.Format.self),
            "Format of the dump: text (default), flipper, or proxmark")
    }
}

extension Parameter<Bool> {
    fileprivate static var overwriteAnything: Self {
        overwrite.withHelp("Overwrite anything on the tag, even a card in use")
    }
}

extension Command {
    static let tagCommands: [Command] = [
        Command(
            "tag info", group: .tags, "Show a tag's chip, content, locks, and protection",
            discussion: "Works with any kind of tag; for a MIFARE Classic and other kinds that "
                + "tapcard cannot read, it gives the kind and the size. Nothing is resolved or "
                + "written, and no setup is needed. The manufacturer's "
                + "signature proves who made the chip, not that the card is genuine.",
            page: .post("tag/info", for: .cashiers), answers: .tag, example: "tapcard tag info",
            run: TagCommands.info),
        .tagRead, .tagWrite,
        Command(
            "tag dump", group: .tags, "Dump all readable pages of a tag",
            discussion: "Nothing is resolved or written; an NTAG 424 has no pages and is refused. "
                + "The `flipper` and `proxmark` formats can leave out unreadable pages only at the "
                + "end; otherwise, use `text`.",
            takes: .dumpFile, .format, answers: .dump,
            example: "tapcard tag dump card.nfc --format flipper", run: TagCommands.dump),
        Command(
            "tag restore", group: .tags, "Write the user pages of a dump to a tag",
            discussion: "Lock bits, configuration, and passwords are never written; a dump from a "
                + "different chip is refused, and so is an NTAG 424. Without `--overwrite`, the "
                + "tag must be blank or belong to a closed card; a card restored to an older state "
                + "will be rejected as rolled back. If the command is interrupted, the "
                + "tag may be only partly written: run the command again.",
            takes: .file("Dump (text, flipper, proxmark, or raw); `-` for standard input"),
            .overwriteAnything, answers: .restoredTag,
            example: "tapcard tag restore card.txt --overwrite", run: TagCommands.restore),
        Command(
            "tag protect", group: .tags, "Protect the card's tag with a write password",
            discussion: "Phones can still read the tag, but writing to it requires this machine's "
                + "keys; if the keys are lost, nobody can ever write to the tag again. `tapcard "
                + "tag unprotect` removes the password. An NTAG 424 is refused because its own "
                + "keys protect it.",
            takes: .card, answers: .protection, example: "tapcard tag protect",
            run: TagCommands.protect),
        Command(
            "tag unprotect", group: .tags, "Remove the write password from a tag",
            discussion:
                "Blocked, closed, and replaced cards are also accepted. A tag that is not in "
                + "this ledger is accepted if its password comes from one of this machine's keys "
                + "and the tag does not count wrong passwords (AUTHLIM 0). For a password set by "
                + "`tapcard tag write --protect`, add `--password-file`.",
            takes: .card, .passwordFile, answers: .protection, example: "tapcard tag unprotect",
            run: TagCommands.unprotect),
        Command(
            "tag format", group: .tags, "Erase a tag and make it blank",
            discussion: "A card in this ledger must be closed or replaced first, whatever its "
                + "balance; `tapcard close` pays out the balance. Other content needs "
                + "`--overwrite`. A write password stays on the tag, and an NTAG 424 is refused.",
            takes: .overwrite, answers: .blankTag, example: "tapcard tag format",
            run: TagCommands.format),
    ]
}

extension Report {
    fileprivate init(_ change: ProtectionChange) {
        var lines = [
            change.isProtected
                ? "Tag \(change.uid) is protected; writing to it needs this issuer's keys"
                : "Tag \(change.uid) is no longer protected; anyone can write to it"
        ]
        if let operation = change.operation { lines.append("Operation \(operation)") }
        lines += Report.words(resolved: change.resolved)
        if change.display == .outOfDate {
            lines.append(Report.displayIsOld)
        }
        self.init(change.members, lines, isChange: true)
    }

    /// The lines about a tag's access settings.
    fileprivate static func words(
        _ settings: AccessConfiguration, of chip: Type2Chip, isLocked: Bool
    ) -> [String] {
        guard chip.isProtected(by: settings) else {
            return ["Protection: none" + (isLocked ? "" : "; anyone can write to the tag")]
                + (settings.isLocked ? ["The configuration is permanently locked"] : [])
                + mirror(settings)
        }
        // If protection starts at a later page, any phone can write the lock bits in page 2.
        let first = settings.firstProtected
        var lines = [
            "Protection: password needed to write from page \(Hexadecimal.encode([first]))h on "
                + "(AUTH0)"
                + (first > AccessConfiguration.everything
                    ? "; any phone can lock earlier pages" : "")
        ]
        lines.append(
            settings.protectsReading
                ? "  reading also needs the password (PROT)" : "  reading needs no password (PROT)")
        lines.append(
            settings.passwordLimit == 0
                ? "  the number of wrong passwords is not limited (AUTHLIM 0)"
                : "  the tag becomes permanently inaccessible after \(settings.passwordLimit) "
                    + "wrong passwords (AUTHLIM)")
        if settings.isLocked { lines.append("  the configuration is permanently locked (CFGLCK)") }
        return lines + mirror(settings)
    }

    private static func mirror(_ settings: AccessConfiguration) -> [String] {
        settings.mirrorPage.map { page in
            "When read, the tag mirrors its UID or counter over the stored bytes from page "
                + "\(Hexadecimal.encode([page]))h on"
        }.map { [$0] } ?? []
    }
}

extension ProtectionChange: DocumentedObject {
    static let fields: Fields<ProtectionChange> = [
        "uid": .of(\.uid), "protected": .of(\.isProtected), "operation": .of(\.operation),
        "display": .of(\.display), "resolved": .of(\.resolved),
    ]
}

extension TagInfo {
    /// Everything that can be reported about a tag.
    static let allFields: Fields<TagInfo> = [
        "uid": .of { Hexadecimal.encode($0.uid) }, "chip": .of(\.chip), "maker": .of(\.maker),
        "version": .of { $0.version.map(Hexadecimal.encode) }, "originality": .of(\.originality),
        "pages": .of(\.pages?.pageCount), "bytes": .of(\.userByteCount),
        "freeBytes": .of(\.freeBytes), "keyVersions": .of(\.keyVersions), "ndef": .of(\.ndef),
        "locked": .of(\.isLocked), "lockBytes": .of { Hexadecimal.encode($0.lockBytes) },
        "protected": .of(\.isProtected), "hidden": .of(\.isHidden), "counter": .of(\.counter),
        "counters": .of(\.counters),
        "settings": .of(\.configuration), "issuerKey": .of(\.ntag424Card?.issuerKey),
        "halfMade": .of { $0.ntag424Card?.isPartlyMade ?? false }, "host": .of(\.ntag424Card?.host),
        "lrp": .of { $0.ntag424Card?.usesLRP ?? false },
    ]

    fileprivate var facts: Members { TagInfo.allFields.members(of: self) }

    fileprivate var memoryLines: [String] {
        if let pages {
            return [
                "Memory: \(pages.pageCount) pages of 4 bytes, \(pages.userPages.count) of them for "
                    + "content"
            ]
        }
        if !keyVersions.isEmpty { return [keyVersionWords] }
        return userByteCount > 0 ? ["Memory: \(userByteCount) bytes"] : []
    }

    fileprivate var contentWords: String {
        if isHidden { return "cannot be read without the password or key" }
        if isReadableKind { return ndef }
        return "tapcard cannot read this kind of tag"
            + (userByteCount > 0 ? ", because its sectors need keys" : "")
    }

    /// The lines about locks and protection. An NTAG 424 has neither lock bits nor a password.
    fileprivate var accessLines: [String] {
        func yesOrNo(_ value: Bool) -> String { value ? "yes" : "no" }
        guard isReadableKind, ntag424Card == nil else { return [] }
        guard let pages else {
            return ["Locked: \(yesOrNo(isLocked)); key: \(yesOrNo(isProtected))"]
        }
        let hasKey = pages == .ultralightC
        let isKnown = configuration != nil || isProtected || hasKey || !mayHavePassword
        var lines = [
            "Locked: \(yesOrNo(isLocked)); \(hasKey ? "key" : "password"): "
                + (isKnown ? yesOrNo(isProtected) : "not known")
        ]
        if lockBytes.contains(where: { $0 != 0 }) {
            lines.append("Lock bytes: \(Hexadecimal.encode(lockBytes))")
        }
        return lines + (configuration.map { Report.words($0, of: pages, isLocked: isLocked) } ?? [])
    }

    /// A sentence, without a period, about the versions of the keys.
    var keyVersionWords: String {
        isProtected
            ? "The chip keys have been changed (versions "
                + "\(keyVersions.map(String.init).joined(separator: ", ")))"
            : "The chip keys are still the factory keys"
    }
}

extension NTAG424CardInfo {
    /// The lines about the chip. `hasChangedKeys` means that the chip no longer has the factory
    /// keys.
    fileprivate func lines(hasChangedKeys: Bool) -> [String] {
        var lines: [String] = []
        if usesLRP {
            lines.append(
                "Warning: someone has permanently switched this chip to LRP mode, so tapcard "
                    + "cannot use it. To move the balance to another tag, run: tapcard replace")
        }
        if hasChangedKeys {
            lines.append(
                issuerKey.map {
                    "The chip's key versions match key \($0) of this machine"
                        + (isRetired ? ", which is retired" : "")
                        + "; to authenticate the chip, run: tapcard read"
                } ?? "The chip's key versions match none of this machine's keys; either the card "
                    + "is another issuer's, or its key has to be imported: tapcard keys import")
            if isPartlyMade {
                lines.append(
                    "The chip's key versions differ: issuing the card or changing its keys was "
                        + "interrupted. The next change made to this card on a server that has "
                        + "the keys will finish it")
            }
        }
        lines.append(
            host.map { "A phone that taps this card opens a page at \($0.escapedForOneLine)" }
                ?? "A phone that taps this card does not open a page")
        return lines
    }
}

extension AccessConfiguration: DocumentedObject {
    static let fields: Fields<AccessConfiguration> = [
        "firstProtected": .of(\.firstProtected), "protectsReading": .of(\.protectsReading),
        "passwordLimit": .of(\.passwordLimit), "locked": .of(\.isLocked),
        "mirrorPage": .of(\.mirrorPage),
    ]
}

enum TagCommands {
    static func protect(in session: Session) async throws(TapcardError) -> Report {
        let card = session[.card]
        let station = try await session.station()
        // The warning is printed before the tap, while the user can still decide not to change the
        // tag.
        warnAboutKeyLoss(in: session)
        return Report(try await station.protect(id: station.newID(), only: card))
    }

    static func unprotect(in session: Session) async throws(TapcardError) -> Report {
        if let path = session[.passwordFile] {
            guard session[.card] == nil else {
                throw TapcardError.usage(
                    "The option --password-file cannot be used with --card.",
                    advice: "A card's password comes from this machine's keys.")
            }
            let password = try MessageCommands.tagPassword(path)
            return Report(try await session.tagStation().messages.unprotect(password))
        }
        let station = try await session.station()
        return Report(try await station.unprotect(id: station.newID(), only: session[.card]))
    }

    static func format(in session: Session) async throws(TapcardError) -> Report {
        let uid = try await session.tagStation().format(overwriting: session[.overwrite])
        return Report(["uid": .text(uid)], ["Tag \(uid) is blank"], isChange: true)
    }

    /// Warns that the change cannot be undone without the keys. Commands call this before the
    /// change.
    static func warnAboutKeyLoss(in session: Session) {
        session.say(
            """
            tapcard: Only the keys in \(session.settings.keyPath) can remove the tag's password; \
            if every copy of them is lost, nobody can ever write to the tag again. Make a copy \
            now: tapcard keys export FILE

            """)
    }

    static func info(in session: Session) async throws(TapcardError) -> Report {
        let info = try await session.tagStation().tagInfo()
        var lines = ["\(info.chip), number \(Hexadecimal.encode(info.uid))"]
        lines += info.maker.map { ["Maker: \($0)"] } ?? []
        lines += info.memoryLines
        lines += info.ntag424Card.map { $0.lines(hasChangedKeys: info.isProtected) } ?? []
        lines += [Report.words(info.originality), "Content: \(info.contentWords)"]
        lines += info.accessLines
        if !info.counters.isEmpty {
            let values = info.counters.map(String.init).joined(separator: ", ")
            lines.append("Counter\(info.counters.count == 1 ? "" : "s"): \(values)")
        }
        return Report(info.facts, lines)
    }

    static func dump(in session: Session) async throws(TapcardError) -> Report {
        let file = session[.dumpFile].map { NamedFile($0) }
        // The file is checked before the user is asked for a tag.
        try file?.requireAbsent()
        let dump = try await session.tagStation().dump()
        let format = session[.format] ?? .text
        let text = try translating(dump.written(as: format)) { (error: Type2Error) in
            TapcardError(
                .failed,
                "A dump in the \(format.rawValue) format cannot represent this: \(error.detail).",
                meaning: "No dump was made.", advice: "Use --format text.")
        }
        // The dump is printed unchanged, because it is meant for a file or another program.
        if let file, file.isStream, !session.outputOptions.isJSON {
            session.output.write(text)
            return .nothing
        }
        // The dump ends with a newline, but the report adds its own.
        guard let file, !file.isStream else {
            return Report(
                [
                    "uid": .string(Hexadecimal.encode(dump.uid)), "chip": .string(dump.chip.name),
                    "dump": .string(text),
                ], [String(text.dropLast())], isPlain: true)
        }
        try file.write(text)
        return Report(
            [
                "uid": .string(Hexadecimal.encode(dump.uid)), "chip": .string(dump.chip.name),
                "file": .string(file.path),
            ], ["Dumped \(dump.chip.name) \(Hexadecimal.encode(dump.uid)) to \(file.path)"],
            isChange: true)
    }

    static func restore(in session: Session) async throws(TapcardError) -> Report {
        // The dump is read and checked before the tap, so that a bad file changes nothing.
        let file = NamedFile(session[.file()])
        let content = try file.content()
        let dump = try translating(TagDump.reading(content).dump) { (error: Type2Error) in
            TapcardError(
                .fileUnusable, "The dump in \(file.displayName) is not valid: \(error.detail).",
                meaning: "Nothing was written to a tag.")
        }
        // Lock bits, configuration, and passwords are never written.
        let pages = dump.chip.userPages
        // A dump lacks the pages that could not be read.
        let missing = pages.count { dump.pages[Int($0)] == nil }
        guard missing < pages.count else {
            throw TapcardError(
                .fileUnusable, "The dump has no user pages, so there is nothing to restore.",
                meaning: "Nothing was written to a tag.")
        }
        let uid = try await session.tagStation().restore(dump, overwriting: session[.overwrite])
        return Report(
            ["uid": .text(uid), "missing": .number(missing)],
            ["Restored \(file.displayName) onto tag \(uid)"]
                + (missing == 0
                    ? []
                    : [
                        "Not in the dump and left unchanged on the tag: \(missing) of "
                            + "\(pages.count) pages"
                    ]),
            isChange: true)
    }
}
