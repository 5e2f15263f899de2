import Glibc

/// This machine.
package enum LocalHost {
    private static let maximumLength = 256

    /// The machine's name; empty if it has none.
    package static let name: String = {
        var bytes = [CChar](repeating: 0, count: maximumLength)
        guard unsafe gethostname(&bytes, bytes.count - 1) == 0 else { return "" }
        return String(
            decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }()
}
