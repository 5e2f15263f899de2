package import Tags

/// Removes the message from a chip and changes its mirror for the next message. The message file
/// must be writable without a key. Authenticates with key 0 and never changes a key.
package struct ChangeMirror: NTAG424Procedure {
    private enum Step { case select, kind, version, authenticate, settings, remove, change }

    package var talk = NTAG424Talk()
    private let mirror: MirrorSettings?
    /// The keys that the chip may have.
    private let known: [NTAG424CardKeys]
    private let random: [UInt8]
    private var keys: NTAG424CardKeys?
    private var settings: FileSettings?
    private var steps: ArraySlice<Step> = [
        // Remove the message first, so that phones never see it with the new mirror.
        .select, .kind, .version, .authenticate, .settings, .remove, .change,
    ]

    /// `random` must be 16 unpredictable bytes.
    package init(to mirror: MirrorSettings?, _ known: [NTAG424CardKeys], random: [UInt8]) {
        (self.mirror, self.known, self.random) = (mirror, known, random)
    }

    package mutating func begin() throws(NTAG424CardError) -> NTAG424Move<Void> { try nextMove() }

    package mutating func proceed(_ data: [UInt8]) throws(NTAG424CardError) -> NTAG424Move<Void> {
        switch steps.popFirst() {
        case .kind:
            guard data.starts(with: InspectNTAG424.vendorAndType) else { throw .otherChip }
        case .version:
            guard data.count == 1 else { throw .chip(NTAG424Error(.malformed)) }
            keys = known.first { $0.version == data[0] }
            guard keys != nil else { throw .unknownKeys(.application, version: data[0]) }
        case .settings:
            guard let report = FileSettings.reported(data), report.size == FileNumber.ndef.size
            else { throw .chip(NTAG424Error(.malformed)) }
            let rights = report.settings.rights
            // Checked before the first write, so that a refusal changes nothing.
            guard rights.letsAnyoneWrite, rights.change == .key(.application) else {
                throw .fixedSettings
            }
            settings = FileSettings(mode: report.settings.mode, rights: rights, mirror: mirror)
        case .select, .authenticate, .remove, .change, nil: break
        }
        return try nextMove()
    }

    private func nextMove() throws(NTAG424CardError) -> NTAG424Move<Void> {
        guard let step = steps.first else { return .finish(()) }
        switch (step, keys, settings) {
        case (.select, _, _): return .run(.selectApplication)
        case (.kind, _, _): return .run(.getVersion)
        case (.version, _, _): return .run(.getKeyVersion(.application))
        case (.authenticate, let keys?, _):
            return .authenticate(.application, keys[.application], random: random)
        case (.settings, _, _): return .run(.getFileSettings(.ndef))
        case (.remove, _, let settings?):
            // If only the right "everyone" allows writing, the chip expects plain data, even in a
            // session.
            let rights = [settings.rights.write, settings.rights.readWrite]
            let none = [UInt8](repeating: 0, count: AddressFile.lengthByteCount)
            return .run(
                .writeData(.ndef, offset: 0, data: none),
                rights.contains(.key(.application)) ? settings.mode : .plain)
        case (.change, _, let settings?): return .run(.changeFileSettings(.ndef, settings))
        case (.authenticate, nil, _), (.remove, _, nil), (.change, _, nil):
            throw .chip(NTAG424Error(.malformed))
        }
    }
}
