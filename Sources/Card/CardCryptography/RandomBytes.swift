/// Unpredictable bytes, for master keys.
public enum RandomBytes {
    /// Random bytes from the kernel. Without a source of randomness, the program stops, because its
    /// keys would be worthless.
    public static func make(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in generator.next() }
    }
}
