import Cards
import Tags
import TapcardDomain

/// Writes a message to a Type 4 tag, with a mirror if the chip is an NTAG 424.
struct FileMessage: StationWork {
    let station: Station
    private let message: [UInt8]
    private let shown: [UInt8]
    private let uid: [UInt8]
    private let capability: Type4Capability
    /// The current mirror and the mirror to set up; nil for none.
    private let current, target: MirrorSettings?
    private let letsAnyoneWrite: Bool
    /// The bytes of the message that the chip replaces with its counter.
    private let counter: Range<Int>?

    /// Plans the write. Throws if the message is too long, or if the chip lacks a feature that
    /// `options` asks for. `shown` is the message that was read from the tag. `settings` are nil
    /// if the chip is not an NTAG 424.
    init(
        _ message: [UInt8], _ options: WriteOptions, on reading: TagReading,
        _ capability: Type4Capability, _ settings: FileSettings?, at station: Station
    ) throws(Interruption) {
        guard !options.locks, !options.protects else {
            throw PageMessage.cannot("lock or protect")
        }
        guard options.mirror == nil || settings != nil else {
            throw PageMessage.cannot("set up a mirror on")
        }
        guard message.count <= capability.maximumByteCount else {
            throw .refused(
                TapcardError(
                    MessageTooLong(byteCount: message.count, maximum: capability.maximumByteCount)))
        }
        (self.message, shown, uid) = (message, reading.message, reading.uid)
        (self.capability, self.station) = (capability, station)
        current = settings?.mirror
        letsAnyoneWrite = settings?.rights.letsAnyoneWrite ?? true
        guard let content = options.mirror else {
            (target, counter) = (nil, nil)
            return
        }
        let first = try PageMessage.position(
            of: content.digits(uid: uid, counter: 0), in: message)
        counter = content.counterRange.map { first + $0.lowerBound..<first + $0.upperBound }
        func inFile(_ position: Int) -> Int { Type4Capability.lengthByteCount + position }
        target = MirrorSettings(
            identity: .plain(
                uid: content == .counter ? nil : inFile(first),
                reads: counter.map { inFile($0.lowerBound) }), proof: nil)
    }

    /// Whether the tag already shows this message and has the right settings.
    var isThere: Bool { current == target && isMessage(shown) }

    /// Whether the tag holds this message, or its first bytes because a write of its length was
    /// interrupted.
    var isWholeOrTorn: Bool { message.starts(with: shown) }

    private func isMessage(_ found: [UInt8]) -> Bool {
        guard let counter, found.count == message.count else { return found == message }
        var bytes = found
        bytes.replaceSubrange(counter, with: message[counter])
        // This read raised the counter, so a working mirror cannot show zeros.
        return bytes == message && found[counter] != message[counter]
    }

    /// Removes the old message, and changes the mirror if necessary.
    func begin(_ history: inout TapHistory) async throws(Interruption) {
        if current == target { try await files.remove() } else { try await changeMirror(&history) }
    }

    /// Writes the message after `begin`.
    func finish() async throws(Interruption) {
        // Selecting the file ends the session. The chip mirrors nothing during a session.
        let capability = current == target ? capability : try await files.capability()
        try await files.write(message, capability, isShown: isMessage)
    }

    private var files: Type4Files { Type4Files(station: station) }

    private func changeMirror(_ history: inout TapHistory) async throws(Interruption) {
        guard letsAnyoneWrite else { throw Type4Files.requiresKey }
        // A chip that hides its UID cannot have this station's keys, and its mirror would show
        // a different UID.
        guard let uid = CardUID(bytes: uid) else {
            throw PageMessage.cannot("change the mirror of")
        }
        let change = ChangeMirror(
            to: target, [.factory] + station.ntag424Writer.chipKeys(of: uid),
            random: dependencies.random(SecureSession.randomSize))
        try await translating(
            awaiting: await reader.performInTap(change, &history), into: FileMessage.explained)
    }

    /// Returns an error that explains why the mirror could not be changed.
    private static func explained(_ interruption: Interruption) -> Interruption {
        guard case .ntag424(let error) = interruption else { return interruption }
        return switch error.kind {
        case .reader(let kind): .card(CardStoreError(.reader(kind), error.detail))
        case .unknown(let kind): .card(CardStoreError(.interrupted(kind), error.detail))
        case .unknownKeys(let version):
            refusal(
                "The mirror can be changed only with the tag's key. The key has version "
                    + "\(version), which is neither the factory's nor one of this machine's.")
        case _ where error.isUnauthenticated:
            refusal(
                "The mirror can be changed only with the tag's key. The tag rejected the key that "
                    + "belongs to the version it reports; do not try again, because it counts "
                    + "every rejected key.")
        case _ where error.isPermanent:
            refusal("The tag's mirror cannot be changed: \(error.detail).")
        default: .card(CardStoreError(.garbled, error.detail))
        }
    }

    private static func refusal(_ what: String) -> Interruption {
        .refused(
            .protectedTag, what, meaning: TapcardError.nothingWritten,
            next: [.tag(.useAnother)])
    }
}
