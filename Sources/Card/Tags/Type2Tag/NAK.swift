/// The values of the four-bit NAK of a Type 2 tag.
package enum NAK {
    /// Unknown command or page, a protected or locked page, or a wrong password.
    package static let invalidArgument: UInt8 = 0
    /// The frame was damaged in transit.
    package static let parityOrCRC: UInt8 = 1
    /// Too many wrong passwords: the tag no longer accepts any.
    package static let authenticationLimit: UInt8 = 4
    /// The memory could not be programmed.
    package static let writeError: UInt8 = 5
}
