/// Unpredictable bytes, for master keys.
public enum RandomBytes {
    /// Random bytes from the kernel. If the kernel cannot provide any, the program stops, because
    /// keys that are not random would be worthless.
    public static func make(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in generator.next() }
    }
}
