/// The settings of a file, as the chip reports and accepts them.
package struct FileSettings: Hashable, Sendable {
    package let mode: CommunicationMode
    package let rights: AccessRights
    /// The mirrored values. Only the NDEF file can have any.
    package let mirror: MirrorSettings?

    private static let mirrors: UInt8 = 0x40
    // Bit 6 is SDM, and bits 0 and 1 are the mode; the other bits are reserved.
    private static let knownOptions: UInt8 = 0x43
    private static let standardFile: UInt8 = 0

    package init(mode: CommunicationMode, rights: AccessRights, mirror: MirrorSettings? = nil) {
        (self.mode, self.rights, self.mirror) = (mode, rights, mirror)
    }

    /// Parses the data of ChangeFileSettings. `nil` unless every byte is accounted for.
    package init?(change bytes: [UInt8]) {
        var reader = SettingsReader(bytes)
        guard let option = reader.byte(), let low = reader.byte(), let high = reader.byte() else {
            return nil
        }
        self.init(option, [low, high], &reader)
    }

    /// Parses the response to GetFileSettings: the settings and the file size. `nil` unless every
    /// byte is accounted for.
    package static func reported(_ bytes: [UInt8]) -> (settings: FileSettings, size: Int)? {
        var reader = SettingsReader(bytes)
        // All three files are standard data files.
        guard reader.byte() == standardFile, let option = reader.byte(),
            let low = reader.byte(), let high = reader.byte(), let size = reader.offset(),
            let settings = FileSettings(option, [low, high], &reader)
        else { return nil }
        return (settings, size)
    }

    /// Whether the response to GetFileSettings of any chip says that a mirror is on.
    package static func reportsMirror(_ bytes: [UInt8]) -> Bool {
        bytes.count > 1 && bytes[1] & mirrors != 0
    }

    private init?(_ option: UInt8, _ rights: [UInt8], _ reader: inout SettingsReader) {
        guard option & ~FileSettings.knownOptions == 0, let rights = AccessRights(rights) else {
            return nil
        }
        var mirror: MirrorSettings?
        if option & FileSettings.mirrors != 0 {
            guard let settings = MirrorSettings(&reader) else { return nil }
            mirror = settings
        }
        // Extra bytes could be settings that tapcard does not support.
        guard reader.isAtEnd else { return nil }
        self.init(mode: CommunicationMode(bits: option), rights: rights, mirror: mirror)
    }

    /// The data of ChangeFileSettings.
    package var change: [UInt8] { [option] + rights.bytes + (mirror?.bytes ?? []) }

    /// The response to GetFileSettings.
    package func report(size: Int) -> [UInt8] {
        [FileSettings.standardFile, option] + rights.bytes + SettingsReader.bytes(size)
            + (mirror?.bytes ?? [])
    }

    private var option: UInt8 { mode.rawValue | (mirror == nil ? 0 : FileSettings.mirrors) }
}
