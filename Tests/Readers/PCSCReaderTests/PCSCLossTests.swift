import PCSCReader
import PlayedPCSCReaders
import Tags
import Testing

extension PCSCReaderTests {
    @Suite("outlives its reader and pcscd", .readersWithTags)
    struct Loss {
        @Test("finds a reader by part of its name; refuses none and several")
        func names() async throws {
            #expect(
                try await Set(PCSCReader.connectedReaders()).isSuperset(
                    of: PlayedReaders.slots.map(\.name))
            )
            #expect(
                try await PCSCReader.open("plain contactless reader 00 00").name
                    == PlayedReaders.plain.name
            )
            await #expect(throws: ReaderError(.noReader)) { try await PCSCReader.open("acs") }
            await #expect(throws: ReaderError(.noReader)) { try await PCSCReader.open("nobody") }
        }

        @Test(
            "pcscd restarted while a tag is worked on: lost, then found again",
            arguments: Kind.allCases)
        func restarted(kind: Kind) async throws {
            let reader = try await kind.bench()
            PlayedReaders.stop()
            await #expect(throws: ReaderError(.readerLost)) {
                try await reader.exchange([0x30, 0])
            }
            await #expect(throws: ReaderError(.readerLost)) {
                try await reader.select(within: Kind.limit)
            }
            await reader.release()
            try await PlayedReaders.start()
            #expect(try await reader.select(within: Kind.limit).uid == Kind.uid)
            await reader.release()
        }

        @Test("a reader that never answers is waited for until pcscd ends: lost")
        func mute() async throws {
            let reader = try await Kind.plain.bench()
            Kind.plain.slot.change { $0.fault = PlayedFault(at: 1, .mute) }
            let writing = Task { try await reader.exchange([0xA2, 0x10, 1, 2, 3, 4]) }
            for await _ in Kind.plain.slot.silences { break }
            PlayedReaders.stop()
            await #expect(throws: ReaderError(.readerLost)) { try await writing.value }
            try await PlayedReaders.start()
            #expect(try await reader.select(within: Kind.limit).uid == Kind.uid)
            #expect(Kind.plain.slot.change { $0.writeCount } == 1)
            await reader.release()
        }

        @Test("pcscd stopped during a wait: lost at once", .emptyReaders)
        func stoppedWhileWaiting() async throws {
            let reader = try await Kind.plain.open()
            await #expect(throws: ReaderError(.noTag)) { try await reader.select(within: .zero) }
            let waiting = Task { try await reader.select(within: .seconds(3_600)) }
            await Task.yield()
            PlayedReaders.stop()
            await #expect(throws: ReaderError(.readerLost)) { try await waiting.value }
            try await PlayedReaders.start()
        }

        @Test("without pcscd there is no reader")
        func noService() async throws {
            PlayedReaders.stop()
            await #expect(throws: ReaderError(.noReader)) {
                try await PCSCReader.connectedReaders()
            }
            await #expect(throws: ReaderError(.noReader)) { try await PCSCReader.open("plain") }
            try await PlayedReaders.start()
        }

        @Test("a reader that is gone is lost, and found when it is plugged in again")
        func unplugged() async throws {
            let reader = try await Kind.plain.bench()
            await reader.release()
            PlayedReaders.stop()
            try await PlayedReaders.start([PlayedReaders.acr122])
            await #expect(throws: ReaderError(.readerLost)) {
                try await reader.select(within: Kind.limit)
            }
            PlayedReaders.stop()
            try await PlayedReaders.start()
            #expect(try await reader.select(within: Kind.limit).uid == Kind.uid)
            await reader.release()
        }
    }
}
