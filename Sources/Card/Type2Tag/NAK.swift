/// The values of the four-bit NAK of a Type 2 tag.
public enum NAK {
    /// Unknown command or page, a protected or locked page, or a wrong password.
    public static let invalidArgument: UInt8 = 0
    /// The frame was damaged on its way.
    public static let parityOrCRC: UInt8 = 1
    /// Too many wrong passwords: the tag accepts none any more.
    public static let authenticationLimit: UInt8 = 4
    /// The memory could not be programmed.
    public static let writeError: UInt8 = 5
}
