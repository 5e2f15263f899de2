package import TextCodecs

/// The members of an object in order: names with their values or schemas.
package struct Members: ExpressibleByDictionaryLiteral, Sendable {
    package private(set) var all: [JSONMember]

    package init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }

    init(_ members: [(String, JSONValue)]) {
        all = members.map { JSONMember(key: $0.0, value: $0.1) }
    }

    package static func + (left: Members, right: Members) -> Members {
        var members = left
        members += right
        return members
    }

    package static func += (members: inout Members, more: Members) { members.all += more.all }

    package var object: JSONValue { .object(all) }
}

extension JSONValue {
    /// This object with additional members.
    package func with(_ more: Members) -> JSONValue { .object((members ?? []) + more.all) }
}
