import PCSCReader
import PlayedPCSCReaders
import Tags
import Testing

extension PCSCReaderTests {
    @Suite("Reading and writing tags over PC/SC", .readersWithTags)
    struct Reading {
        @Test("The tag on the reader is selected and read", arguments: Kind.allCases)
        func selects(kind: Kind) async throws {
            let reader = try await kind.bench(.ntag216)
            #expect(try await reader.select(within: .zero) == TagIdentity(uid: Kind.uid))
            #expect(try await reader.exchange([0x30, 0x00]).prefix(3) == [0x04, 0xAC, 0x6B])
            let most = min(reader.maximumAnswerLength / 4, 62)
            let answer = try await reader.exchange([0x3A, 0x00, UInt8(most - 1)])
            let tag = try #require(kind.slot.change { $0.tag })
            #expect(answer == (0..<most).flatMap { tag.visible(UInt8($0)).bytes })
            await reader.release()
        }

        @Test("A write succeeds only if the tag has written the page", arguments: Kind.allCases)
        func writes(kind: Kind) async throws {
            let reader = try await kind.bench()
            #expect(try await reader.exchange([0xA2, 0x10, 1, 2, 3, 4]) == [])
            #expect(kind.slot.change { $0.tag?[0x10] } == Page(1, 2, 3, 4))
            #expect(kind.slot.change { $0.writeCount } == 1)
            // Page 0 is never written.
            await #expect(
                throws: kind == .plain ? ReaderError(.timedOut) : ReaderError(.refused(0))
            ) { try await reader.exchange([0xA2, 0x00, 1, 2, 3, 4]) }
            #expect(kind.slot.change { $0.writeCount } == 1)
            await reader.release()
        }

        @Test(
            "An ACR122U and an ACR1252U pass on commands of the NTAG21x family",
            arguments: Kind.raw)
        func everything(kind: Kind) async throws {
            let reader = try await kind.bench(.ntag215)
            #expect(try await reader.exchange([0x60]) == Type2Chip.ntag215.version)
            #expect(try await reader.exchange([0x3C, 0x00]).count == 32)
            #expect(try await reader.exchange([0x1B, 0xFF, 0xFF, 0xFF, 0xFF]) == [0x00, 0x00])
            await reader.release()
        }

        @Test(
            "A frame that storage-card commands cannot express is unsupported and not sent",
            arguments: [
                [0x60], [0x3C, 0x00], [0x39, 0x02], [0x1B, 0, 0, 0, 0], [0xA0, 0x10], [],
            ])
        func unsupported(frame: [UInt8]) async throws {
            let reader = try await Kind.plain.bench()
            let before = Kind.plain.slot.change { $0.commands.count }
            await #expect(throws: ReaderError(.unsupported)) { try await reader.exchange(frame) }
            #expect(Kind.plain.slot.change { $0.commands.count } == before)
            // Nothing was sent: the tag is as it was.
            #expect(try await reader.exchange([0x30, 0x00]).count == 16)
            await reader.release()
        }

        @Test("A FAST_READ is assembled from pieces and never reads past its end")
        func pieces() async throws {
            let reader = try await Kind.plain.bench()
            let tag = try #require(Kind.plain.slot.change { $0.tag })
            for (first, last) in [(0, 0), (0, 3), (4, 39), (1, 5), (42, 44), (44, 44), (0, 44)] {
                let answer = try await reader.exchange([0x3A, UInt8(first), UInt8(last)])
                #expect(answer == (first...last).flatMap { tag.visible(UInt8($0)).bytes })
            }
            await #expect(throws: ReaderError(.refused(0))) {
                try await reader.exchange([0x3A, 5, 4])
            }
            await reader.release()
        }

        @Test(
            "After a NAK nothing is sent to the tag until it is selected again",
            arguments: Kind.raw)
        func refusal(kind: Kind) async throws {
            let reader = try await kind.bench()
            await #expect(throws: ReaderError(.refused(0))) {
                try await reader.exchange([0x30, 0xFF])
            }
            let before = kind.slot.change { $0.commands.count }
            await #expect(throws: ReaderError(.tagLost)) { try await reader.exchange([0x30, 0]) }
            #expect(kind.slot.change { $0.commands.count } == before)
            _ = try await reader.select(within: .zero)
            #expect(try await reader.exchange([0x30, 0]).count == 16)
            await reader.release()
        }

        @Test(
            "A selection ends the authentication, and only a release cuts the power",
            arguments: Kind.raw)
        func power(kind: Kind) async throws {
            let reader = try await kind.bench()
            let write = Type2Command.write(0x10, .zero).frame
            _ = try await reader.exchange(Type2Command.write(0x29, Page(4, 0, 0, 4)).frame)
            _ = try await reader.select(within: .zero)
            // What the configuration says acts when the power comes back.
            #expect(try await reader.exchange(write) == [])
            await reader.release()
            await #expect(throws: ReaderError(.tagLost)) { try await reader.exchange(write) }
            _ = try await reader.select(within: Kind.limit)
            await #expect(throws: ReaderError(.refused(0))) { try await reader.exchange(write) }
            _ = try await reader.select(within: .zero)
            _ = try await reader.exchange([0x1B, 0xFF, 0xFF, 0xFF, 0xFF])
            #expect(try await reader.exchange(write) == [])
            _ = try await reader.select(within: .zero)
            await #expect(throws: ReaderError(.refused(0))) { try await reader.exchange(write) }
            await reader.release()
        }

        @Test("An ACR122U whose firmware keeps its answers is asked for them", .emptyReaders)
        func oldFirmware() async throws {
            PlayedReaders.acr122.become(PlayedACR122U(keepsAnswers: true))
            let reader = try await Kind.acr122.bench()
            #expect(try await reader.exchange([0x60]) == Type2Chip.ntag213.version)
            await reader.release()
        }

        @Test(
            "A reader without its model's own commands is used as a plain reader", .emptyReaders,
            arguments: Kind.raw)
        func fallsBack(kind: Kind) async throws {
            kind.slot.become(PlayedStorageReader())
            let reader = try await kind.bench()
            #expect(try await reader.exchange([0x30, 0x00]).count == 16)
            await #expect(throws: ReaderError(.unsupported)) { try await reader.exchange([0x60]) }
            await reader.release()
        }
    }
}
