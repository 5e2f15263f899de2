import Glibc

/// Unpredictable bytes, for master keys.
public enum RandomBytes {
    /// The limit of the system call.
    private static let mostAtOnce = 256

    /// Random bytes. Without a source of randomness the program stops, because the keys would be
    /// worthless.
    public static func make(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        unsafe bytes.withUnsafeMutableBytes { buffer in
            for start in stride(from: 0, to: count, by: mostAtOnce) {
                let part = unsafe UnsafeMutableRawBufferPointer(
                    rebasing: buffer[start..<min(start + mostAtOnce, count)])
                let result = unsafe getentropy(part.baseAddress, part.count)
                precondition(result == 0, "the system has no random bytes to give")
            }
        }
        return bytes
    }
}
