import Cards
import ReaderDiagnosis
package import Tags
package import TapcardCore
import TapcardDomain
import TextCodecs

extension Parameter<[String]> {
    fileprivate static var tags: Self {
        .arguments(
            "TAG", .tag, "\(Chip.listed) or a UID (default: the last tag)", isRequired: false,
            page: .other("tags"))
    }
    fileprivate static var fault: Self {
        .arguments("FAULT", .fault, "A number and a kind, such as `3 torn mix 7`, or `none`")
    }
}

extension Parameter<CardUID?> {
    fileprivate static var seenTag: Self {
        .optionalArgument(
            "CARD", .card, "UID of a tag (default: the tag on the reader, or else the last tag)")
    }
}

extension Command {
    private static let faults = """
        FAULT is the number of a write (1 is the next write), followed by a kind; `none` disarms \
        the fault. The fault occurs once, in the command that makes that write; a new fault \
        replaces an armed one.

        Kinds: `lost` (the card is removed before the write), `torn PAGE` (the card is removed \
        during the write), `acknowledge-lost` (the page is written, but the response is lost and \
        the card is removed), `pulled-after` (the page is written, the chip responds, and the card \
        is removed), `garbled` (the response is corrupted), `late` (the response comes after the \
        reader has given up), `refused C` (the write is refused with code C, 0 to 9), \
        `killed-before` and `killed-after` (tapcard itself is killed before or after the write).

        PAGE is what a torn write leaves behind: `old`, `new`, `zero`, or `mix SEED` (a random \
        mixture of old and new bits). With `new-lowest N`, `new-highest N`, `old-lowest N`, or \
        `old-highest N`, the page is erased, and then N (0 to 32) of the lowest or highest 1 bits \
        of its new or old content are set; with `new-some SEED` or `old-some SEED`, a random \
        selection of those bits is set.
        """

    static let simulationCommands: [Command] = [
        Command(
            "sim put", group: .simulation, "Put tags on the simulated reader",
            discussion: "The tags replace any that are already there. A chip name creates a blank "
                + "tag, and a UID selects an existing tag; without an argument, the last tag is "
                + "used. There can be up to 250 tags. The first NTAG213, the first NTAG216, and "
                + "the first NTAG424 have a valid manufacturer's signature; all other tags have "
                + "none.",
            takes: .tags, page: .post("simulator/put", reader: .never, for: .sellers),
            answers: .tags,
            example: "tapcard sim put NTAG216", run: SimulationCommands.put),
        Command(
            "sim take", group: .simulation, "Take all tags off the simulated reader",
            discussion: "The tags are kept; `tapcard sim put` puts the last one back.",
            page: .post("simulator/take", reader: .never, for: .sellers), answers: .nothing,
            example: "tapcard sim take", run: SimulationCommands.take),
        Command(
            "sim tear", group: .simulation, "Arm a fault for one of the next writes",
            discussion: faults,
            takes: .fault, page: .post("simulator/tear", reader: .never, for: .sellers),
            answers: .fault,
            example: "tapcard sim tear 3 torn mix 7", run: SimulationCommands.tear),
        Command(
            "sim list", group: .simulation, "List the simulated tags and the armed fault",
            page: .get("simulator", reader: .never, for: .sellers), answers: .drawer,
            example: "tapcard sim list",
            run: SimulationCommands.list),
        Command(
            "sim phone", group: .simulation, "Show what a phone would read from a simulated tag",
            discussion: "An NTAG 424 card shows a different address each time it is read, and its "
                + "counter goes up as on a real chip; other tags show their text. If the card was "
                + "issued without `card-address`, the address leads nowhere. docs/CUSTOMERS.md "
                + "shows how to try the customer page on a single machine.",
            takes: .seenTag, answers: .phone, example: "tapcard sim phone",
            run: SimulationCommands.showToPhone),
    ]
}

extension SimulatedTag: DocumentedObject {
    static let fields: Fields<SimulatedTag> = [
        "uid": .of(ValueSchemas.card, \.uid), "chip": .of(\.chip),
        "onReader": .of(\.isOnReader),
    ]
}

extension TapcardError {
    /// The error for a simulated reader whose file is unusable.
    package init(ofSimulation error: ReaderError) {
        guard error.kind == .noReader else {
            self.init(error)
            return
        }
        self.init(
            .noReader, "The simulated reader's file cannot be used: \(error.detail).",
            meaning: "Nothing was done.",
            advice:
                "Repair or delete the file; if you delete it, the simulated reader starts over "
                + "with a blank tag.")
    }
}

enum SimulationCommands {
    static func put(in session: Session) async throws(TapcardError) -> Report {
        let which = session[.tags]
        let tags = try simulating(in: session) { tags, reader throws(TapcardError) in
            try tags.put(which, reader, nextTo: session.settings.otherSimulatedFiles)
        }
        return Report(
            ["tags": tags.document],
            tags.map { "\($0.chip) \($0.uid) is on the simulated reader" }, isChange: true)
    }

    static func take(in session: Session) async throws(TapcardError) -> Report {
        try simulating(in: session) { tags, reader throws(TapcardError) in try tags.take(reader) }
        return Report([:], ["The simulated reader is empty"], isChange: true)
    }

    static func tear(in session: Session) async throws(TapcardError) -> Report {
        let given = session[.fault]
        // `sim list` prints this word with a fault, so it is accepted here, too.
        let words = given.first == "write" ? given.dropFirst() : given[...]
        let fault = given == ["none"] ? nil : "write " + words.joined(separator: " ")
        try simulating(in: session) { tags, reader throws(TapcardError) in
            try tags.tear(fault, reader)
        }
        return Report(
            ["fault": .text(fault)],
            [fault.map { "Fault armed: \($0)" } ?? "No fault armed"], isChange: true)
    }

    static func list(in session: Session) async throws(TapcardError) -> Report {
        let (tags, fault) = try simulating(in: session) { tags, reader throws(TapcardError) in
            try tags.list(reader, nextTo: session.settings.otherSimulatedFiles)
        }
        return Report(
            ["tags": tags.document, "fault": .text(fault)],
            tags.map { "\($0.chip)  \($0.uid)" + ($0.isOnReader ? "  on the reader" : "") }
                + (fault.map { ["Fault armed: \($0)"] } ?? []), isPlain: true)
    }

    static func showToPhone(in session: Session) async throws(TapcardError) -> Report {
        let uid = session[.seenTag]?.description
        let seen = try simulating(in: session) { tags, reader throws(TapcardError) in
            try tags.showToPhone(uid, reader)
        }
        let view =
            switch seen.content {
            case .message(let message): PhoneView(message: message)
            case .area(let area): PhoneView(area: area)
            }
        var (address, text): (String?, String?)
        let line: String
        switch view {
        case .address(let found):
            (address, line) = (found, found.escapedForOneLine)
            if found.hasPrefix(placeholder) {
                session.say(
                    "tapcard: This address does not exist, because the card was issued without a "
                        + "page address. Before you issue cards, run: tapcard config set "
                        + "card-address URL\n")
            }
        case .text(let found): (text, line) = (found, found.escapedForOneLine)
        case .nothing:
            line =
                "A phone shows nothing for \(seen.tag.chip) \(seen.tag.uid): the tag has no message"
        case .other:
            line =
                "A phone shows nothing for \(seen.tag.chip) \(seen.tag.uid): phones do not show "
                + "this kind of message"
        }
        return Report(
            [
                "uid": .string(seen.tag.uid), "chip": .string(seen.tag.chip),
                "address": .text(address), "text": .text(text), "reads": seen.reads.document,
            ], [line], isPlain: true)
    }

    /// The start of the address on a card that was issued without a page address. The domain
    /// `.invalid` is reserved, so no such host exists.
    private static let placeholder = "https://tapcard.invalid/"

    /// Calls `body` with the simulated reader from the settings or, by default, the one in the data
    /// folder.
    private static func simulating<Success>(
        in session: Session, _ body: (any SimulatedTags, String) throws(TapcardError) -> Success
    ) throws(TapcardError) -> Success {
        try session.places.makeDrawerFolder()
        let settings = session.settings
        guard let path = settings.simulatedFile(of: settings.reader ?? .simulated(file: nil)) else {
            throw TapcardError.usage(
                "\((settings.reader?.text ?? "").debugDescription) is not a simulated reader.",
                advice: "Use --reader sim, or sim:FILE.")
        }
        return try body(session.drivers.simulatedTags, path)
    }
}
