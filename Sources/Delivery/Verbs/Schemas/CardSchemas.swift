import TapcardCore
package import TextCodecs

/// Schemas for cards and for the steps after a problem.
package enum CardSchemas {
    static let card = PrintedDocument.shown(
        ShownCard.fields, optional: ["replayed": Schema.boolean])

    package static let resolved = [ResolvedOperation].schema

    /// The next steps in order, each with its word and values.
    package static let next = Schema.described(
        Schema.list(of: ValueSchemas.nextStep), "next steps, in order")
}
