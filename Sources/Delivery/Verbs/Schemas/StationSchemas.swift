import ReaderDiagnosis
import TapcardCore
import TextCodecs

/// Schemas for the readers, including the simulated one.
enum StationSchemas {
    static let findings = PrintedDocument.shown([
        "findings": [Finding].schema, "live": LiveCheck?.schema,
    ])

    static let tag = PrintedDocument.done(TagInfo.allFields.required)

    static let drawer = PrintedDocument.shown(["tags": tags, "fault": String?.schema])

    static let tags = [SimulatedTag].schema
}
