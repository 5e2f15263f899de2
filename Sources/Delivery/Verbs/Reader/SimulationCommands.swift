import ReaderDiagnosis
package import TagReading
package import TapcardCore
import TapcardDomain
import TextCodecs

extension Parameter<[String]> {
    fileprivate static var tags: Self {
        .arguments(
            "TAG", .tag, "\(Chip.listed) or a number", isRequired: false,
            page: .other("tags"))
    }
    fileprivate static var fault: Self {
        .arguments("FAULT", .fault, "Such as: 3 torn mix 7; or none")
    }
}

extension Command {
    private static let faults = """
        A fault is the number of a WRITE and what goes wrong there: torn old, torn new, torn zero, \
        torn mix SEED (a mixture of old and new bits), torn new-lowest N, new-highest N, \
        old-lowest N or old-highest N (the page was erased and has so many bits of the new or the \
        old one), torn new-some SEED or old-some SEED, acknowledge-lost, pulled-after, lost, \
        garbled, late (the answer comes after the reader has given up), "refused 0", \
        killed-before, killed-after (this process dies).
        """

    static let simulationCommands: [Command] = [
        Command(
            "sim put", group: .simulation, "Put a tag onto the simulated reader",
            discussion: "A chip's name brings a new one from the factory, a number the one with "
                + "that number; without either, the tag comes back that lay there last. The first "
                + "new NTAG213, NTAG216 and NTAG424 have the number and the maker's signature of a "
                + "real one; the others have no signature, because only the maker can sign.",
            takes: .tags, page: .post("simulator/put", reader: .never), answers: .tags,
            example: "tapcard sim put NTAG216"
        ) { session throws(TapcardError) in
            let which = try session[.tags]
            let tags = try session.simulating { tags, reader throws(TapcardError) in
                try tags.put(which, reader, nextTo: session.settings.simulatedFilesNextTo)
            }
            return Report(
                ["tags": tags.document],
                tags.map { "\($0.chip) \($0.uid) lies on the simulated reader" }, isDeed: true)
        },
        Command(
            "sim take", group: .simulation, "Take everything off the simulated reader",
            page: .post("simulator/take", reader: .never), answers: .nothing,
            example: "tapcard sim take"
        ) { session throws(TapcardError) in
            try session.simulating { tags, reader throws(TapcardError) in try tags.take(reader) }
            return Report([:], ["The simulated reader is empty"], isDeed: true)
        },
        Command(
            "sim tear", group: .simulation, "Pull the card away at a chosen WRITE",
            discussion: faults,
            takes: .fault, page: .post("simulator/tear", reader: .never), answers: .fault,
            example: "tapcard sim tear 3 torn mix 7"
        ) { session throws(TapcardError) in
            let given = try session[.fault]
            // The list prints a fault with this word, so it is accepted here.
            let words = given.first == "write" ? given.dropFirst() : given[...]
            let fault = given == ["none"] ? nil : "write " + words.joined(separator: " ")
            try session.simulating { tags, reader throws(TapcardError) in
                try tags.tear(fault, reader)
            }
            return Report(
                ["fault": .text(fault)],
                [fault.map { "Armed: \($0)" } ?? "Nothing is armed"], isDeed: true)
        },
        Command(
            "sim list", group: .simulation, "Show the simulated tags",
            page: .get("simulator", reader: .never), answers: .drawer, example: "tapcard sim list"
        ) { session throws(TapcardError) in
            let (tags, fault) = try session.simulating { tags, reader throws(TapcardError) in
                try tags.list(reader, nextTo: session.settings.simulatedFilesNextTo)
            }
            return Report(
                ["tags": tags.document, "fault": .text(fault)],
                tags.map { "\($0.chip)  \($0.uid)" + ($0.isOnReader ? "  on the reader" : "") }
                    + (fault.map { ["Armed: \($0)"] } ?? []), isPlain: true)
        },
    ]
}

extension SimulatedTag: DocumentedObject {
    static let fields: Fields<SimulatedTag> = [
        "uid": .of(ValueSchemas.card, \.uid), "chip": .of(\.chip),
        "onReader": .of(\.isOnReader),
    ]
}

extension TapcardError {
    /// The error for a simulated reader, whose file is unusable.
    package init(ofSimulation error: ReaderError) {
        guard error.kind == .noReader else {
            self.init(error)
            return
        }
        self.init(
            .noReader, "The simulated reader cannot be used: \(error.detail).",
            meaning: "Nothing was done.",
            advice: "Fix its file or remove it: then it starts over, with a blank tag.")
    }
}

extension Session {
    /// Runs a change on the simulated reader of the settings, by default the one in the data
    /// folder.
    fileprivate func simulating<Success>(
        _ body: (any SimulatedTags, String) throws(TapcardError) -> Success
    ) throws(TapcardError) -> Success {
        try makeDrawerFolder()
        guard let path = settings.simulatedFile(of: settings.reader ?? .simulated(file: nil)) else {
            throw TapcardError.usage(
                "\((settings.reader?.text ?? "").debugDescription) is not a simulated reader.",
                advice: "Use --reader sim, or sim:FILE.")
        }
        return try body(drivers.simulatedTags, path)
    }
}
