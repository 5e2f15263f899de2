import PCSCReader
import PlayedPCSCReaders
import Tags
import Testing

extension PCSCReaderTests {
    @Suite("Loss of a reader or of pcscd", .readersWithTags)
    struct Loss {
        @Test("A reader is found by part of its name, and an ambiguous or unknown name is refused")
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
            "A reader lost with pcscd is found again once pcscd has restarted",
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

        @Test("A reader that never answers is waited for until pcscd ends")
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

        @Test("Stopping pcscd ends a wait with a lost reader", .emptyReaders)
        func stoppedWhileWaiting() async throws {
            let reader = try await Kind.plain.open()
            await #expect(throws: ReaderError(.noTag)) { try await reader.select(within: .zero) }
            let waiting = Task { try await reader.select(within: .seconds(3_600)) }
            await Task.yield()
            PlayedReaders.stop()
            await #expect(throws: ReaderError(.readerLost)) { try await waiting.value }
            try await PlayedReaders.start()
        }

        @Test("Without pcscd there is no reader")
        func noService() async throws {
            PlayedReaders.stop()
            await #expect(throws: ReaderError(.noReader)) {
                try await PCSCReader.connectedReaders()
            }
            await #expect(throws: ReaderError(.noReader)) { try await PCSCReader.open("plain") }
            try await PlayedReaders.start()
        }

        @Test("An unplugged reader is lost, and found again once it is plugged in")
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
