import Glibc

/// Cuts a stream of bytes into control lines.
package struct LineSplitter {
    private var pending: [UInt8] = []
    /// Set within a line that is too long, until its end.
    private var isSkipping = false

    package init() {}

    /// The lines that are ended by these bytes. Of one that is too long only the beginning is
    /// kept, which is still too long to be obeyed.
    package mutating func take(_ bytes: some Sequence<UInt8>) -> [String] {
        var lines: [String] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                if !isSkipping { lines.append(String(decoding: pending, as: UTF8.self)) }
                pending = []
                isSkipping = false
            } else if !isSkipping {
                pending.append(byte)
                guard pending.count > Emulation.longestLine else { continue }
                lines.append(String(decoding: pending, as: UTF8.self))
                pending = []
                isSkipping = true
            }
        }
        return lines
    }

    /// What the stream ended with, if that was no line end.
    package mutating func finish() -> String? {
        defer { pending = [] }
        return pending.isEmpty ? nil : String(decoding: pending, as: UTF8.self)
    }
}
