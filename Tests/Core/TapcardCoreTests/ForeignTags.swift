import BlockingLane
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// A card with files, or one that never responds, on a reader that records every command.
final class PlayedFiles: TagReader {
    private struct State {
        var selected: UInt16?
        var commands: [[UInt8]] = []
        var isGone = false
    }

    let name = "played files"
    let maximumAnswerLength = 250
    private let identity: TagIdentity
    /// The first part of the response to GetVersion; nil for a card without this command.
    private let version: [UInt8]?
    /// The files with the capability container and the message; empty for a card without them.
    private let files: [UInt16: [UInt8]]
    /// The file that needs a key.
    private let keyed: UInt16?
    /// The number of commands before the card is removed.
    private let lifetime: Int
    private let state = Guarded(State())

    init(
        _ identity: TagIdentity, version: [UInt8]? = nil, files: [UInt16: [UInt8]] = [:],
        keyed: UInt16? = nil, lifetime: Int = .max
    ) {
        (self.identity, self.version, self.files) = (identity, version, files)
        (self.keyed, self.lifetime) = (keyed, lifetime)
    }

    /// Creates a Type 4 tag with this message in a file of 64 bytes.
    convenience init(
        message: [UInt8], length: UInt8? = nil, version: [UInt8]? = nil, writing: UInt8 = 0,
        isKeyed: Bool = false, lifetime: Int = .max
    ) {
        let container: [UInt8] = [
            0, 15, 0x20, 0, 0x3B, 0, 0x34, 4, 6, 0xE1, 0x04, 0, 64, 0, writing,
        ]
        let file: [UInt8] = [0, length ?? UInt8(message.count)] + message
        self.init(
            TagIdentity(
                uid: [0x04, 1, 2, 3, 4, 5, 6], answerToRequest: 0x0344, selectAcknowledge: 0x20),
            version: version,
            files: [
                0xE103: container,
                0xE104: file + [UInt8](repeating: 0, count: max(0, 64 - file.count)),
            ], keyed: isKeyed ? 0xE104 : nil, lifetime: lifetime)
    }

    /// The commands and frames that the card received.
    var commands: [[UInt8]] { state.withLock { $0.commands } }

    func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        guard !state.withLock({ $0.isGone }) else { throw ReaderError(.noTag) }
        return identity
    }

    func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        try note(frame)
        throw ReaderError(.timedOut)
    }

    func exchange(command: [UInt8]) async throws(ReaderError) -> [UInt8] {
        try note(command)
        let done: [UInt8] = [0x90, 0x00]
        let application: [UInt8] = [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01]
        return state.withLock { state in
            switch (command[0], command[1]) {
            case (0x90, 0x60): return version.map { $0 + [0x91, 0xAF] } ?? [0x6E, 0x00]
            case (0x00, 0xA4) where command[2] == 4:
                let isKnown = !files.isEmpty && Array(command[5...].prefix(7)) == application
                return isKnown ? done : [0x6A, 0x82]
            case (0x00, 0xA4):
                state.selected = UInt16(command[5]) << 8 | UInt16(command[6])
                return state.selected.map { files[$0] != nil } == true ? done : [0x6A, 0x82]
            case (0x00, 0xB0):
                guard let selected = state.selected, selected != keyed, let file = files[selected]
                else { return [0x69, 0x82] }
                let offset = Int(command[2]) << 8 | Int(command[3])
                return file.dropFirst(offset).prefix(Int(command[4])) + done
            default: return [0x6D, 0x00]
            }
        }
    }

    func release() async {}

    private func note(_ command: [UInt8]) throws(ReaderError) {
        try state.withLock { state throws(ReaderError) in
            state.commands.append(command)
            state.isGone = state.commands.count > lifetime
            if state.isGone { throw ReaderError(.tagLost) }
        }
    }
}

extension TagIdentity {
    /// A MIFARE Classic or similar card.
    static func sectors(_ selectAcknowledge: UInt8) -> TagIdentity {
        TagIdentity(
            uid: [1, 2, 3, 4], answerToRequest: 0x0004, selectAcknowledge: selectAcknowledge)
    }
}

extension World {
    /// A world with one blank tag of this chip and this size in its capability container.
    static func other(
        _ chip: Type2Chip, uid: [UInt8] = [0x04, 1, 2, 3, 4, 5, 6], size: UInt8 = 0,
        signature: [UInt8] = [UInt8](repeating: 0, count: TagMemory.signatureLength)
    ) throws -> World {
        var tag = try #require(TagMemory.blank(chip, uid: uid, signature: signature))
        if size > 0 { tag[3] = Page(0xE1, 0x10, size, 0x00) }
        if chip == .ultralightC { tag[0x2A] = Page(0x30, 0, 0, 0) }
        return World(Simulation([tag], onReader: [uid]))
    }

    /// Returns a reader that records each frame to the tag. An Ultralight C responds to
    /// AUTHENTICATE with a challenge.
    func notingReader() -> InterposedReader {
        InterposedReader(
            reader,
            answer: { frame, reader throws(ReaderError) in
                if frame == [0x1A, 0x00], let world = reader as? SimulatedReader,
                    (try? await world.change { $0.tags.first?.chip }) == .ultralightC
                {
                    return [0xAF] + [UInt8](repeating: 7, count: 8)
                }
                return try await reader.exchange(frame)
            })
    }
}
