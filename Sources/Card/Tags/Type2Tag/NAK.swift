/// The values of a Type 2 tag's four-bit NAK.
package enum NAK {
    /// An unknown command or page, a protected or locked page, or a wrong password.
    package static let invalidArgument: UInt8 = 0
    /// The frame was damaged in transit.
    package static let parityOrCRC: UInt8 = 1
    /// Too many wrong passwords: the tag no longer accepts any password.
    package static let authenticationLimit: UInt8 = 4
    /// Writing to memory failed.
    package static let writeError: UInt8 = 5
}
