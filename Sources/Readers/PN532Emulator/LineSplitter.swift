import Glibc

/// Splits a stream of bytes into control lines.
package struct LineSplitter {
    private var pending: [UInt8] = []
    /// Whether the rest of an overlong line is being skipped.
    private var isSkipping = false

    package init() {}

    /// Returns the lines that these bytes complete. An overlong line is truncated, but it remains
    /// too long to be accepted.
    package mutating func take(_ bytes: some Sequence<UInt8>) -> [String] {
        var lines: [String] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                if !isSkipping { lines.append(String(decoding: pending, as: UTF8.self)) }
                pending = []
                isSkipping = false
            } else if !isSkipping {
                pending.append(byte)
                // One byte more than the limit is kept, so that the line is rejected rather than
                // executed as a shorter one.
                guard pending.count > Emulation.maximumLineLength else { continue }
                lines.append(String(decoding: pending, as: UTF8.self))
                pending = []
                isSkipping = true
            }
        }
        return lines
    }

    /// Returns the last line in the stream if it had no line ending.
    package mutating func finish() -> String? {
        defer { pending = [] }
        return pending.isEmpty ? nil : String(decoding: pending, as: UTF8.self)
    }
}
