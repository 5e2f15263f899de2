/// The one application of the chip, in which its files and keys are.
package enum NTAG424Application {
    /// The name by which ISO SELECT finds it, that of every NFC Forum Type 4 tag.
    package static let name: [UInt8] = [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01]
    /// Three bytes for key derivation, which tie a key to this application.
    package static let identifier: [UInt8] = [0x42, 0x34, 0x44]
}
