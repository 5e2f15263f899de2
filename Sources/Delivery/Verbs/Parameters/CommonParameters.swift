import TapcardCore
import TapcardDomain

extension Parameter<CardUID?> {
    static var card: Self {
        .option("card", "UID", .card, "Insist on this card; refuse any other")
    }
}

extension Parameter<OperationID?> {
    static var operation: Self {
        .option(
            "operation", "UUID", .operation,
            "Makes a retry safe: the same id never happens twice")
    }
}

extension Parameter<FaceStyle?> {
    static var display: Self {
        .option(
            "display", "FORM", .choice(FaceStyle.self),
            "What phones read: our form, or the iPhone app's")
    }
}

extension Parameter<Bool> {
    static var again: Self {
        .flag("again", "Do it once more, also where this tap has just resolved the same amount")
    }
    static var confirmed: Self {
        .flag(
            "yes",
            "Confirm an amount above the station's ceiling, or that money is handed out",
            page: .other("confirmed"))
    }
    static var reissue: Self {
        .flag(
            "reissue",
            "Close the account of a known card, hand out what it holds, and begin a new one on it")
    }
    static var overwrite: Self {
        .flag(
            "overwrite", "Overwrite a tag that is not one of our cards; it cannot be undone")
    }
    static var protect: Self {
        .flag(
            "protect",
            "Protect the tag with a password; without your keys it can never be removed")
    }
    static var anyChip: Self {
        .flag("any-chip", "Take a chip whose maker's signature is not valid")
    }
    static var watch: Self {
        .flag("watch", "Keep running; one line per tap, until Ctrl-C", page: .never)
    }
}

extension Parameter<String> {
    static func file(_ help: String = "") -> Self { .argument("FILE", .file, help) }
    static var newFile: Self { .file("Where to; must not exist. - is standard output") }
}
