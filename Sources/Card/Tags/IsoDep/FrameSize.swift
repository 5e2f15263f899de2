/// The size of the longest frame that one side can receive, including the checksum.
package enum FrameSize: UInt8, Hashable, Sendable, CaseIterable {
    case of16, of24, of32, of40, of48, of64, of96, of128, of256

    package var bytes: Int { [16, 24, 32, 40, 48, 64, 96, 128, 256][Int(rawValue)] }

    /// The maximum number of command or response bytes in one block without a card identifier.
    package var payload: Int { bytes - TransmissionBlock.overhead }

    /// The size for a code. Reserved codes mean the largest size.
    init(code: UInt8) { self = FrameSize(rawValue: code) ?? .of256 }
}
