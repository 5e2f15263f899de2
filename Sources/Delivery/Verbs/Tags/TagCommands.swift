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
            "format", "FORMAT", .choice(TagDump.Format.self), "Format of the dump; text by default")
    }
}

extension Parameter<Bool> {
    fileprivate static var overwriteAnything: Self {
        overwrite.saying("Overwrite anything on the tag, even a card in use")
    }
}

extension Command {
    static let tagCommands: [Command] = [
        Command(
            "tag info", group: .tags, "Show a tag's chip, content, locks and protection",
            discussion: "Nothing is resolved or written, and the station need not be set up. The "
                + "manufacturer's signature proves who made the chip, not that the card is "
                + "genuine.",
            page: .post("tag/info"), answers: .tag, example: "tapcard tag info",
            run: TagCommands.info),
        Command(
            "tag dump", group: .tags, "Dump all readable pages of a tag",
            discussion: "Nothing is resolved or written; an NTAG 424 has no pages and is refused. "
                + "The `flipper` and `proxmark` formats can leave out unreadable pages only at the "
                + "end; otherwise, use `text`.",
            takes: .dumpFile, .format, answers: .dump,
            example: "tapcard tag dump card.nfc --format flipper", run: TagCommands.dump),
        Command(
            "tag restore", group: .tags, "Write the user pages of a dump onto a tag",
            discussion: "Lock bits, configuration and passwords are never written; a dump of "
                + "another chip and an NTAG 424 are refused. Without `--overwrite`, the tag must "
                + "be blank or belong to a closed card; a card restored to an older state is "
                + "rejected as rolled back at its next tap. If interrupted, the tag may be half "
                + "written: run the command again.",
            takes: .file("Dump (text, flipper, proxmark or raw); `-` for standard input"),
            .overwriteAnything, answers: .restoredTag,
            example: "tapcard tag restore card.txt --overwrite", run: TagCommands.restore),
        Command(
            "tag protect", group: .tags, "Protect the card's tag with a write password",
            discussion: "Phones can still read the tag, but writing needs the station's keys; if "
                + "they are lost, the tag can never be written again. `tapcard tag unprotect` "
                + "removes the password. An NTAG 424 is refused because its own keys protect it.",
            takes: .card, answers: .protection, example: "tapcard tag protect",
            run: TagCommands.protect),
        Command(
            "tag unprotect", group: .tags, "Remove the write password from a tag",
            discussion: "Blocked, closed and replaced cards are accepted too. A tag unknown to "
                + "this ledger is accepted if its password comes from one of this station's keys "
                + "and the tag does not count wrong passwords (AUTHLIM 0).",
            takes: .card, answers: .protection, example: "tapcard tag unprotect",
            run: TagCommands.unprotect),
        Command(
            "tag format", group: .tags, "Erase a tag and make it blank",
            discussion: "A card of this ledger must be closed or replaced first, whatever its "
                + "balance; `tapcard close` pays it out. Other content needs `--overwrite`. A "
                + "write password stays on the tag, and an NTAG 424 is refused.",
            takes: .overwrite, answers: .blankTag, example: "tapcard tag format",
            run: TagCommands.format),
    ]
}

extension Report {
    fileprivate init(_ change: ProtectionChange) {
        var lines = [
            change.isProtected
                ? "Card \(change.uid) is protected: only your keys can write to its tag"
                : "Tag \(change.uid) is not protected any more: anyone can write to it"
        ]
        if let operation = change.operation { lines.append("Operation \(operation)") }
        lines += Report.words(resolved: change.resolved)
        if change.display == .outOfDate {
            lines.append(Report.displayIsOld)
        }
        self.init(change.members, lines, isChange: true)
    }

    /// The access settings of a tag in words.
    fileprivate static func words(_ settings: AccessConfiguration, of chip: Type2Chip) -> [String] {
        guard chip.isProtected(by: settings) else {
            return ["Protection: none; anyone can write to the tag"]
                + (settings.isLocked ? ["Its settings are locked for ever"] : []) + mirror(settings)
        }
        let first = settings.firstProtected
        var lines = [
            "Protection: a password is needed to write from page "
                + "\(Hexadecimal.encode([first]))h (AUTH0)"
                + (first > AccessConfiguration.everything
                    ? "; whoever has a phone can still lock the pages before it" : "")
        ]
        lines.append(
            settings.protectsReading
                ? "  and to read from there (PROT)" : "  but not to read (PROT)")
        lines.append(
            settings.passwordLimit == 0
                ? "  wrong passwords are not counted (AUTHLIM 0)"
                : "  after \(settings.passwordLimit) wrong passwords nobody can ever open it "
                    + "(AUTHLIM)")
        if settings.isLocked { lines.append("  these settings are locked for ever (CFGLCK)") }
        return lines + mirror(settings)
    }

    private static func mirror(_ settings: AccessConfiguration) -> [String] {
        settings.mirrorPage.map { page in
            "Mirror: from page \(Hexadecimal.encode([page]))h on it shows its number or its "
                + "counter instead of what is written there"
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
    /// All that a tag says of itself.
    static let allFields: Fields<TagInfo> = [
        "uid": .of(\.uid), "chip": .of(\.chip),
        "version": .of { $0.version.map(Hexadecimal.encode) }, "originality": .of(\.originality),
        "pages": .of(\.pages?.pageCount), "keyVersions": .of(\.keyVersions), "ndef": .of(\.ndef),
        "locked": .of(\.isLocked),
        "protected": .of(\.isProtected), "counter": .of(\.counter),
        "settings": .of(\.configuration), "issuerKey": .of(\.ntag424Card?.issuerKey),
        "halfMade": .of { $0.ntag424Card?.isHalfMade ?? false }, "host": .of(\.ntag424Card?.host),
        "lrp": .of { $0.ntag424Card?.usesLRP ?? false },
    ]

    fileprivate var facts: Members { TagInfo.allFields.members(of: self) }

    /// The versions of the keys, in a sentence without its full stop.
    var keyVersionWords: String {
        isProtected
            ? "Its keys have the versions \(keyVersions.map(String.init).joined(separator: ", "))"
            : "Its keys are those of the factory"
    }
}

extension NTAG424CardInfo {
    /// Its meaning for this station. `isMade` means that it has other keys than the factory's.
    fileprivate func lines(isMade: Bool) -> [String] {
        var lines: [String] = []
        if usesLRP {
            lines.append(
                "Warning: somebody has switched this chip to another protocol (LRP), for good. No "
                    + "tapcard can use it any more; tapcard replace moves a balance to another card"
            )
        }
        if isMade {
            let key = issuerKey.map { "key \($0) of this station" }
            lines.append(
                key.map {
                    "They name \($0)" + (isRetired ? ", which is retired" : "")
                        + "; tapcard read has the chip prove it"
                } ?? "They name no key of this station: it is a card of another issuer, or its key "
                    + "was not brought here (tapcard keys import)")
            if isHalfMade {
                lines.append(
                    "It is half made, or was being given other keys. The next change of the card at "
                        + "a station with the keys goes on with that")
            }
        }
        lines.append(
            host.map { "Phones open a page at \($0.onOneLine)" } ?? "Phones open no page by it")
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
        let card = try session[.card]
        let station = try await session.station()
        sayWhoOpens(in: session)
        return Report(try await station.protect(id: station.newID(), only: card))
    }

    static func unprotect(in session: Session) async throws(TapcardError) -> Report {
        let station = try await session.station()
        return Report(try await station.unprotect(id: station.newID(), only: try session[.card]))
    }

    static func format(in session: Session) async throws(TapcardError) -> Report {
        let uid = try await session.station().format(overwriting: session[.overwrite])
        return Report(["uid": .text(uid)], ["Tag \(uid) is blank"], isChange: true)
    }

    /// Warns, before the change, that it cannot be undone without the keys.
    static func sayWhoOpens(in session: Session) {
        session.say(
            """
            tapcard: only the keys in \(session.settings.keyPath) open a protected tag. Keep a copy of \
            them (tapcard keys export FILE): if they are lost, nobody can ever write to it again.

            """)
    }

    static func info(in session: Session) async throws(TapcardError) -> Report {
        let info = try await session.lookingStation().tagInfo()
        func yes(_ value: Bool) -> String { value ? "yes" : "no" }
        var lines = ["\(info.chip), number \(info.uid)"]
        if let pages = info.pages {
            lines.append(
                "\(pages.pageCount) pages of 4 bytes, \(pages.userPages.count) for users")
        } else {
            lines.append(info.keyVersionWords)
        }
        lines += info.ntag424Card.map { $0.lines(isMade: info.isProtected) } ?? []
        lines += [Report.words(info.originality), "Holds: \(info.ndef)"]
        if let pages = info.pages {
            lines.append(
                "Locked: \(yes(info.isLocked)); protected by a password: "
                    + yes(info.isProtected))
            lines += info.configuration.map { Report.words($0, of: pages) } ?? []
        }
        return Report(info.facts, lines)
    }

    static func dump(in session: Session) async throws(TapcardError) -> Report {
        let file = try session[.dumpFile].map { NamedFile($0) }
        try file?.requireNew()
        let dump = try await session.lookingStation().dump()
        let format = try session[.format] ?? .text
        let text: String
        do throws(Type2Error) {
            text = try dump.written(as: format)
        } catch {
            throw TapcardError(
                .failed, "The format \(format.rawValue) cannot tell \(error.detail).",
                meaning: "No dump was made.", advice: "Use --format text.")
        }
        if let file, file.isStream, !session.manner.isJSON {
            session.output.write(text)
            return .nothing
        }
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
        let file = NamedFile(try session[.file()])
        let dump: TagDump
        do {
            dump = try TagDump.reading(try file.content()).dump
        } catch let error as TapcardError {
            throw error
        } catch {
            throw TapcardError(
                .fileUnusable,
                "\(file.shown) is not a dump: "
                    + "\((error as? Type2Error)?.detail ?? "\(error)").",
                meaning: "Nothing was written to a tag.")
        }
        let pages = dump.chip.userPages
        let missing = pages.count { dump.pages[Int($0)] == nil }
        guard missing < pages.count else {
            throw TapcardError(
                .fileUnusable, "\(file.shown) has none of the pages that can be restored.",
                meaning: "Nothing was written to a tag.")
        }
        let uid = try await session.station().restore(dump, overwriting: session[.overwrite])
        return Report(
            ["uid": .text(uid), "missing": .number(missing)],
            ["Restored \(file.shown) onto tag \(uid)"]
                + (missing == 0
                    ? []
                    : [
                        "Pages that the dump does not have, and that were left as they were: "
                            + "\(missing) of \(pages.count)"
                    ]),
            isChange: true)
    }
}
