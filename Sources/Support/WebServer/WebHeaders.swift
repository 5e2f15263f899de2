/// A name and its value: a header, or one part of a query.
public struct WebField: Sendable, Hashable {
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// Header fields in order of arrival; names are compared without regard to case.
public struct WebHeaders: Sendable, Hashable {
    public private(set) var fields: [WebField]

    public init(_ fields: [WebField] = []) {
        self.fields = fields
    }

    /// The value of the first field with this name.
    public subscript(name: String) -> String? {
        fields.first { Self.same($0.name, name) }?.value
    }

    /// The values of all fields with this name.
    public func all(_ name: String) -> [String] {
        fields.filter { Self.same($0.name, name) }.map(\.value)
    }

    mutating func append(_ field: WebField) {
        fields.append(field)
    }

    private static func same(_ one: String, _ other: String) -> Bool {
        // Header names are ASCII, so no other letters need a case-insensitive comparison.
        one.utf8.count == other.utf8.count
            && zip(one.utf8, other.utf8).allSatisfy { $0.lowerCased == $1.lowerCased }
    }
}

extension UInt8 {
    /// An ASCII letter's byte in lower case; any other byte is unchanged.
    fileprivate var lowerCased: UInt8 {
        // The two cases of an ASCII letter differ only in bit 20h.
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}
