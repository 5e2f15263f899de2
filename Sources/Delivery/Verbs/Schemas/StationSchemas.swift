import ReaderDiagnosis
import TapcardCore
import TextCodecs

/// Schemas of the readers, including the simulated one.
enum StationSchemas {
    static let findings = PrintedDocument.shown([
        "findings": Schema.list(
            of: Schema.object([
                "id": Schema.words(Finding.ID.allCases.map(\.rawValue)),
                "severity": Schema.words(Finding.Severity.allCases.map(\.rawValue)),
                "reader": Schema.orNull(Schema.text), "what": Schema.text,
                "remedy": Schema.orNull(Schema.text), "commands": Schema.list(of: Schema.text),
            ])), "live": Schema.orNull(live),
    ])

    private static let live = Schema.object([
        "reader": Schema.text, "answers": Schema.truth, "title": Schema.orNull(Schema.text),
        "firmware": Schema.orNull(Schema.text),
        "tag": Schema.orNull(
            Schema.object([
                "uid": ValueSchemas.card, "chip": Schema.text,
                "originality": originality,
                "ndef": Schema.text, "bytes": Schema.count, "freeBytes": Schema.count,
                "locked": Schema.truth, "protected": Schema.truth,
            ])),
    ])

    static let tag = PrintedDocument.done([
        "uid": ValueSchemas.card, "chip": Schema.text, "version": Schema.orNull(Schema.text),
        "originality": originality, "pages": Schema.count, "ndef": Schema.text,
        "locked": Schema.truth, "protected": Schema.truth, "counter": Schema.orNull(Schema.count),
        "settings": Schema.orNull(
            Schema.object([
                "firstProtected": Schema.count, "protectsReading": Schema.truth,
                "passwordLimit": Schema.count, "locked": Schema.truth,
                "mirrorPage": Schema.orNull(Schema.count),
            ])),
    ])

    private static let originality = Schema.words(TagInfo.Originality.allCases.map(\.rawValue))

    static let drawer = PrintedDocument.shown([
        "tags": tags, "fault": Schema.orNull(Schema.text),
    ])

    static let tags = Schema.list(
        of: Schema.object([
            "uid": ValueSchemas.card, "chip": Schema.text, "onReader": Schema.truth,
        ]))
}
