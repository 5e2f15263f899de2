import TextCodecs

/// The members of an object in documents, each declared once: its name, its value, and its schema.
struct Fields<Subject: Sendable>: ExpressibleByDictionaryLiteral, Sendable {
    /// The value of a member and its schema.
    struct Field: Sendable {
        fileprivate let schema: JSONValue
        fileprivate var isRequired = true
        /// The value; nil if the object does not contain the member.
        fileprivate let value: @Sendable (Subject) -> JSONValue?

        static func of<Value: Documented>(
            _ value: @escaping @Sendable (Subject) -> Value
        ) -> Field {
            Field(schema: Value.schema) { value($0).document }
        }

        /// A value whose schema is narrower or wider than its type's schema.
        static func of<Value: Documented>(
            _ schema: JSONValue, _ value: @escaping @Sendable (Subject) -> Value
        ) -> Field {
            Field(schema: schema) { value($0).document }
        }

        /// An optional member, which is omitted if there is no value.
        static func ifAny<Value: Documented>(
            _ value: @escaping @Sendable (Subject) -> Value?
        ) -> Field {
            Field(schema: Value.schema, isRequired: false) { value($0)?.document }
        }
    }

    private let all: [(name: String, field: Field)]

    init(dictionaryLiteral elements: (String, Field)...) {
        all = elements.map { ($0.0, $0.1) }
    }

    var schema: JSONValue { Schema.object(required, optional: optional) }
    var required: Members { schemas(isRequired: true) }
    var optional: Members { schemas(isRequired: false) }

    private func schemas(isRequired: Bool) -> Members {
        Members(
            all.filter { $0.field.isRequired == isRequired }.map { ($0.name, $0.field.schema) })
    }

    func members(of subject: Subject) -> Members {
        Members(
            all.compactMap { name, field in field.value(subject).map { (name, $0) } })
    }
}
