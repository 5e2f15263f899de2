/// The chip's only application, which contains its files and keys.
package enum NTAG424Application {
    /// The name by which ISO SELECT finds the application; it is the same on every NFC Forum Type 4
    /// tag.
    package static let name: [UInt8] = [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01]
    /// Three bytes that tie a derived key to this application.
    package static let identifier: [UInt8] = [0x42, 0x34, 0x44]
}
