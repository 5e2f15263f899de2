/// Reads bytes from front to back and never past the end.
struct ByteReader {
    private let bytes: [UInt8]
    private let errorAtEnd: NDEFError.Kind
    private(set) var offset = 0

    /// `errorAtEnd` is the kind of error that is thrown when the bytes run out.
    init(_ bytes: [UInt8], errorAtEnd: NDEFError.Kind) {
        self.bytes = bytes
        self.errorAtEnd = errorAtEnd
    }

    var remaining: Int { bytes.count - offset }

    mutating func byte(_ what: String) throws(NDEFError) -> UInt8 {
        guard remaining > 0 else { throw NDEFError(errorAtEnd, "no byte where \(what) should be") }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func take(_ count: Int, _ what: String) throws(NDEFError) -> [UInt8] {
        guard count <= remaining else {
            throw NDEFError(
                errorAtEnd,
                "\(what) of \(count == 1 ? "1 byte" : "\(count) bytes") with only \(remaining) left"
            )
        }
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }

    /// Reads an unsigned number of up to four bytes (`width`), most significant byte first. A value
    /// too large for an `Int` is clamped, which is harmless: there are never that many bytes left.
    mutating func number(width: Int, _ what: String) throws(NDEFError) -> Int {
        Int(clamping: try take(width, what).reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
    }
}
