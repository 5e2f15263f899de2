import PCSCReader
import PlayedPCSCReaders
import Tags
import Testing

/// The three kinds of readers that are simulated behind pcscd.
enum Kind: String, CaseIterable, Sendable {
    case acr122, acr1252, plain

    static let uid: [UInt8] = [0x04, 0xAC, 0x6B, 0x72, 0xBA, 0x6C, 0x80]
    static let otherUID: [UInt8] = [0x04, 0xDE, 0xAD, 0xBE, 0xEF, 0x00, 0x01]
    /// The kinds that pass on every frame.
    static let raw: [Kind] = [.acr122, .acr1252]
    /// Long enough for any machine; a test that passes never waits this long.
    static let limit = Duration.seconds(30)

    var slot: PlayedSlot {
        switch self {
        case .acr122: PlayedReaders.acr122
        case .acr1252: PlayedReaders.acr1252
        case .plain: PlayedReaders.plain
        }
    }

    /// Runs the body for all kinds at once, because they mostly wait for pcscd to poll and each has
    /// a reader and a lane of its own.
    static func each(_ body: @escaping @Sendable (Kind) async throws -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            for kind in allCases {
                group.addTask {
                    do { try await body(kind) } catch { Issue.record("\(kind): \(error)") }
                }
            }
        }
    }

    /// A new simulated reader of this kind.
    var reader: any PlayedReader {
        switch self {
        case .acr122: PlayedACR122U()
        case .acr1252: PlayedACR1252U()
        case .plain: PlayedStorageReader()
        }
    }

    func lay(_ chip: Type2Chip = .ntag213, uid: [UInt8] = uid) throws {
        let tag = try #require(TagMemory.blank(chip, uid: uid))
        slot.change { $0.lay(tag) }
    }

    func open() async throws -> PCSCReader { try await PCSCReader.open(slot.name) }

    /// Opens the reader and selects a blank tag on it.
    func bench(_ chip: Type2Chip = .ntag213) async throws -> PCSCReader {
        try lay(chip)
        let reader = try await open()
        _ = try await reader.select(within: Kind.limit)
        return reader
    }
}
