import Cards
import Tags
import TapcardCore
import TapcardDomain
import TextCodecs

extension Command {
    static let tagRead = Command(
        "tag read", group: .tags, "Print the records on any kind of tag",
        discussion: "Nothing is written, and no setup is needed. Wi-Fi passwords are shown as "
            + "\"password hidden\" unless you pass `--show-secrets`; without it, the `message` of "
            + "`--json` is null if it may contain a password. With `--raw`, prints only the bytes "
            + "of the message; save them to a file that `tag write --ndef` accepts. If they may "
            + "contain a password, `--raw` also needs `--show-secrets`. "
            + "If the tag is of a kind that cannot be read, the error names that kind.",
        takes: .showSecrets, .raw, page: .post("tag/read", for: .cashiers), answers: .tagContent,
        example: "tapcard tag read",
        run: MessageCommands.read)

    static let tagWrite = Command(
        "tag write", group: .tags, "Write records to any kind of tag",
        discussion: "Records are written in the order you type the options; in `--url`, "
            + "`--text`, and Wi-Fi names, {uid} is replaced with the tag's UID. A tag that "
            + "already holds something else is refused unless you pass `--overwrite`; a card "
            + "whose account is not closed is always refused. \"Written\" is printed only after "
            + "the tag has been read back. A tag pulled away mid-write holds its old message, "
            + "no message, or the new one, never a mixture.\n\n"
            + "With `--mirror`, an NTAG213, NTAG215, NTAG216, or NTAG 424 updates its message at "
            + "each tap: {uid} becomes its UID, {counter} the number of times it was read, and "
            + "{uid}x{counter} both. Use the placeholder exactly once. An NTAG 424 needs its "
            + "factory keys or this machine's; its keys stay the same. With `--protect`, later "
            + "changes to the tag require the password in `--password-file`.",
        takes: .urls, .texts, .language, .media, .wifi, .contacts, .messages, .overwrite,
        .mirror, .lock, .protectTag, .passwordFile, .jobFile, .startRow, .dryRun,
        page: .post("tag/write", for: .owners),
        answers: .writtenTag,
        example: "tapcard tag write --url https://example.com/{uid} --text Hello",
        run: MessageCommands.write)
}

extension Parameter<Bool> {
    fileprivate static var showSecrets: Self {
        .flag("show-secrets", "Show Wi-Fi passwords instead of \"password hidden\"", page: .never)
    }
    fileprivate static var raw: Self {
        .flag("raw", "Print only the message's raw bytes (for tag write --ndef)", page: .never)
    }
    static var dryRun: Self {
        .flag("dry-run", "Check all rows of --file without writing a tag", page: .never)
    }
    fileprivate static var protectTag: Self {
        protect.withHelp("Require the password in --password-file for later changes")
    }
    static var lock: Self {
        // An API token must not allow anything that cannot be undone.
        .flag(
            "lock", "After writing, make the tag read-only; this cannot be undone", page: .never)
    }
}

extension Parameter<ASCIIMirror.Content?> {
    static var mirror: Self {
        .option(
            "mirror", "WHAT", .choice(ASCIIMirror.Content.self),
            "Let the chip fill in its UID, its counter, or both", page: .never)
    }
}

extension Parameter<[String]> {
    static var urls: Self {
        .options(
            "url", "URL", .content, "Add a link; {uid} is replaced with the tag's UID",
            page: .same)
    }
    static var texts: Self {
        .options(
            "text", "TEXT", .content, "Add a text record; {uid} is replaced with the tag's UID",
            page: .same)
    }
    static var wifi: Self {
        .options(
            "wifi", "FILE", .file,
            "Add Wi-Fi from QR text in FILE: WIFI:S:NAME;T:WPA;P:PASSWORD;;")
    }
    static var contacts: Self {
        .options("vcard", "FILE", .file, "Add a contact from a vCard file")
    }
}

extension Parameter<[GivenMedia]> {
    static var media: Self {
        .options(
            "mime", "TYPE=FILE", .media,
            "Add FILE's bytes as media type TYPE, as in image/png=logo.png", page: .same)
    }
}

extension Parameter<[GivenContent]> {
    static var messages: Self {
        .options(
            "ndef", "FILE", .content, "Add the records of a message saved from tag read --raw",
            page: .same)
    }
}

extension Parameter<Int?> {
    static var startRow: Self {
        .option(
            "start-row", "N",
            .wholeNumber(1...1_000_000, orSay: "Nothing was written to a tag."),
            "Start at row N of --file; row 1 is the first below the header", page: .never)
    }
}

extension Parameter<String?> {
    static var language: Self {
        .option(
            "lang", "LANG", .text(1...NDEFText.maximumLanguageByteCount),
            "Language code for text records (default en)")
    }
    static var jobFile: Self {
        .option(
            "file", "JOB.csv", .file, "Write one tag per row of a CSV table; see docs/BRIDGE.md",
            page: .never)
    }
    static var passwordFile: Self {
        .option(
            "password-file", "FILE", .file,
            "File with the tag's write password (8 hexadecimal digits)", page: .never)
    }
}

enum MessageCommands {
    static func read(in session: Session) async throws(TapcardError) -> Report {
        let reading = try await session.tagStation().messages.read()
        if session[.raw], !session.outputOptions.isJSON {
            guard session[.showSecrets] || !WiFiNetwork.mayBe(in: reading.message) else {
                throw TapcardError(
                    .usage, "The message may contain a Wi-Fi password.",
                    meaning: "Nothing was printed.",
                    advice: "To print the message anyway, add --show-secrets.")
            }
            session.output.write(reading.message)
            return .nothing
        }
        let shown = ShownMessage(reading, showsSecrets: session[.showSecrets])
        return Report(shown.members, shown.lines)
    }

    static func write(in session: Session) async throws(TapcardError) -> Report {
        let options = try options(in: session)
        if let path = session[.jobFile] {
            return try await JobCommand(session, options, path).run()
        }
        guard session[.startRow] == nil, !session[.dryRun] else {
            throw TapcardError.usage(
                "The options --start-row and --dry-run require --file.",
                advice: "Add --file JOB.csv.")
        }
        let records = try TypedRecords(session)
        try records.requireValues(for: ["uid"] + options.values.keys)
        let written = try await session.tagStation().messages.write(options) {
            reading throws(TapcardError) in
            records.message(options.values.merging(["uid": Hexadecimal.encode(reading.uid)]) { $1 })
        }
        let uid = Hexadecimal.encode(written.uid)
        return Report(
            written.members,
            [
                written.wasThere
                    ? "Nothing written: \(written.kind) \(uid) already holds this message"
                    : "Written: \(written.message.count) bytes to \(written.kind) \(uid)"
            ] + (options.protects ? ["Changing the tag now requires its password"] : [])
                + (written.isLocked ? ["The tag is now read-only"] : []), isChange: true)
    }

    private static func options(in session: Session) throws(TapcardError) -> WriteOptions {
        var options = WriteOptions()
        options.overwrites = session[.overwrite]
        options.locks = session[.lock]
        options.password = try session[.passwordFile].map(tagPassword)
        options.protects = session[.protectTag]
        options.mirror = session[.mirror]
        guard !options.protects || options.password != nil else {
            throw TapcardError.usage(
                "The option --protect needs a password.", advice: "Add --password-file FILE.")
        }
        return options
    }

    /// Reads a write password from a file that contains 8 hexadecimal digits.
    static func tagPassword(_ path: String) throws(TapcardError) -> TagPassword {
        let text = String(decoding: try NamedFile(path).content(), as: UTF8.self)
        let digits = text.filter { !$0.isWhitespace }
        guard let bytes = Hexadecimal.decode(digits), bytes.count == 4 else {
            throw TapcardError(
                .usage, "The password file must contain 8 hexadecimal digits.",
                meaning: "Nothing was written to a tag.")
        }
        return TagPassword(password: bytes, pack: [])
    }
}

extension WriteOptions {
    /// The initial value of {counter}, which the chip replaces. {uid} is not included, because the
    /// tag's UID is filled in for every message.
    var values: [String: String] {
        mirror?.usesCounter == true ? ["counter": Hexadecimal.encode([0, 0, 0])] : [:]
    }
}

extension WrittenTag: DocumentedObject {
    static let fields: Fields<WrittenTag> = [
        "uid": .of { Hexadecimal.encode($0.uid) }, "kind": .of(\.kind),
        "message": .message { (bytes: $0.message, showsSecrets: false) },
        "wasThere": .of(\.wasThere), "locked": .of(\.isLocked),
    ]
}
