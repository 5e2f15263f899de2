import CZlib
import OperatingSystem

/// HTTP's "deflate" content coding, as produced by zlib.
enum Deflate {
    private static let file = "libz.so.1"

    /// Compresses the bytes. Returns nil if zlib is missing or the result is not smaller.
    static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        // zlib is optional. Without it, the page is sent uncompressed.
        let loaded = try? unsafe LoadableLibrary(name: "zlib", package: "zlib1g")
            .load(file, tapcard_zlib()) { unsafe tapcard_zlib_bind($0, $1) }
        guard let zlib = loaded else { return nil }
        var count = zlib.compress_bound(UInt(bytes.count))
        var compressed = [UInt8](repeating: 0, count: Int(count))
        let result = unsafe zlib.compress(
            &compressed, &count, bytes, UInt(bytes.count), tapcard_zlib_best)
        guard result == tapcard_zlib_ok, count < bytes.count else { return nil }
        return Array(compressed.prefix(Int(count)))
    }
}
