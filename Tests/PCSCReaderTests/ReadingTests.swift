import PCSCReader
import PlayedPCSCReaders
import TagReading
import Testing
import Type2Tag

extension PCSCReaderTests {
    @Suite("selects and speaks")
    struct Reading {
        init() { Stage.reset() }

        @Test("names what pcscd sees")
        func names() async throws {
            let names = try await PCSCReader.connectedReaders()
            #expect(Stage.slots.allSatisfy { names.contains($0.name) })
        }

        @Test("selects the tag that lies there", arguments: Kind.allCases)
        func selects(kind: Kind) async throws {
            try kind.lay()
            let reader = try await kind.open()
            let identity = try await reader.select(within: .seconds(9))
            #expect(identity == TagIdentity(uid: Kind.uid))
            #expect(try await reader.exchange([0x30, 0x00]).prefix(3) == [0x04, 0xAC, 0x6B])
            await reader.release()
        }
    }
}

/// The three that are played.
enum Kind: String, CaseIterable, Sendable {
    case acr122, acr1252, plain

    static let uid: [UInt8] = [0x04, 0xAC, 0x6B, 0x72, 0xBA, 0x6C, 0x80]
    static let raw: [Kind] = [.acr122, .acr1252]

    var slot: PlayedSlot {
        switch self {
        case .acr122: Stage.acr122
        case .acr1252: Stage.acr1252
        case .plain: Stage.plain
        }
    }

    func lay(_ chip: Type2Chip = .ntag213) throws {
        let tag = try #require(TagMemory.blank(chip, uid: Kind.uid))
        slot.change { $0.tag = tag }
    }

    func open() async throws -> PCSCReader { try await PCSCReader.open(slot.name) }
}
