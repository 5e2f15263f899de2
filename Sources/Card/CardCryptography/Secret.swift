/// Bytes that are never shown in a description, debug description, or dump.
struct Secret: Hashable, Sendable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    static func == (left: Self, right: Self) -> Bool {
        // The duration must not reveal how many bytes of a guess are correct.
        ConstantTime.equal(left.bytes, right.bytes)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "secret" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}
