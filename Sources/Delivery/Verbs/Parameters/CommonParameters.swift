import TapcardCore
package import TapcardDomain

extension Parameter<CardUID?> {
    package static var card: Parameter<CardUID?> {
        .option("card", "UID", .card, "Refuse any card other than this one")
    }
}

extension Parameter<OperationID?> {
    static var operation: Self {
        .option("operation", "UUID", .operation, "ID that makes it safe to repeat this request")
    }
}

extension Parameter<FaceStyle?> {
    static var display: Self {
        .option(
            "display", "FORM", .choice(FaceStyle.self),
            "Format of the text that phones read: tapcard (default) or ios-app")
    }
}

extension Parameter<Bool> {
    package static var again: Self {
        .flag("again", "Proceed even if this tap just completed an identical request")
    }
    static var confirmed: Self {
        .flag(
            "yes", "Confirm a large amount or the payout that `--reissue` requires",
            page: .other("confirmed"))
    }
    /// `confirmed`, described for a verb that does not take `--reissue`.
    static var confirmedAmount: Self { confirmed.withHelp("Confirm a large amount") }
    /// `confirmed`, described for a verb that does not take an amount.
    static var confirmedPayout: Self {
        confirmed.withHelp(
            "Confirm the payout that `--reissue` requires")
    }
    static var reissue: Self {
        .flag("reissue", "Reuse the tag of an existing card and close its account")
    }
    static var overwrite: Self {
        .flag("overwrite", "Overwrite other content on the tag")
    }
    static var protect: Self {
        .flag("protect", "Protect the tag with a write password (not NTAG 424)")
    }
    static var anyChip: Self {
        .flag("any-chip", "Accept a chip whose manufacturer's signature is invalid")
    }
}

extension Parameter<String> {
    static func file(_ help: String = "") -> Self { .argument("FILE", .file, help) }
    static var newFile: Self { .file("New file to write, or `-` for standard output") }
}
