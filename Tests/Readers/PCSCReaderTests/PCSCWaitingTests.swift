import PCSCReader
import PlayedPCSCReaders
import Tags
import Testing

extension PCSCReaderTests {
    @Suite("Waiting for a tag over PC/SC")
    struct Waiting {
        @Test("An empty reader has no tag", .emptyReaders, arguments: Kind.allCases)
        func empty(kind: Kind) async throws {
            let reader = try await kind.open()
            await #expect(throws: ReaderError(.noTag)) { try await reader.select(within: .zero) }
            await #expect(throws: ReaderError(.tagLost)) { try await reader.exchange([0x30, 0]) }
        }

        @Test("A tag that arrives later is found", .emptyReaders)
        func comesLater() async {
            await Kind.each { kind in
                let reader = try await kind.open()
                let waiting = Task { try await reader.select(within: Kind.limit) }
                await Task.yield()
                try kind.lay()
                #expect(try await waiting.value.uid == Kind.uid)
                await reader.release()
            }
        }

        @Test(
            "Canceling a wait ends it long before its limit, and the next selection works",
            .emptyReaders)
        func cancelled() async throws {
            let reader = try await Kind.plain.open()
            let waiting = Task { try await reader.select(within: .seconds(3_600)) }
            await Task.yield()
            waiting.cancel()
            await #expect(throws: ReaderError(.cancelled)) { try await waiting.value }
            // The next wait is not touched by it.
            try Kind.plain.lay()
            #expect(try await reader.select(within: Kind.limit).uid == Kind.uid)
            await reader.release()
        }

        @Test("A task that is already canceled does not wait at all", .emptyReaders)
        func cancelledBefore() async throws {
            let reader = try await Kind.plain.open()
            let task = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return try await reader.select(within: .seconds(3_600))
            }
            await #expect(throws: ReaderError(.cancelled)) { try await task.value }
        }

        @Test("A tag that is taken away is lost, and found when it comes back", .readersWithTags)
        func taken() async {
            await Kind.each { kind in
                let reader = try await kind.bench()
                let tag = kind.slot.change { field in
                    defer { field.tag = nil }
                    return field.tag
                }
                await #expect(throws: (any Error).self) { try await reader.exchange([0x30, 0x00]) }
                await #expect(throws: ReaderError(.noTag)) {
                    try await reader.select(within: .seconds(1))
                }
                kind.slot.change { $0.tag = tag }
                await #expect(throws: ReaderError(.tagLost)) {
                    try await reader.exchange([0x30, 0])
                }
                #expect(try await reader.select(within: Kind.limit).uid == Kind.uid)
                await reader.release()
            }
        }

        @Test("A tag that pcscd reports as removed is lost", .readersWithTags)
        func removed() async {
            await Kind.each { kind in
                let reader = try await kind.bench()
                kind.slot.change { $0.tag = nil }
                // Another connection is told that the card is in use, until pcscd has noticed.
                let watcher = try await kind.open()
                var seen = ReaderError(.busy)
                for _ in 0..<10 where seen.kind == .busy {
                    do throws(ReaderError) {
                        _ = try await watcher.select(within: .seconds(1))
                    } catch {
                        seen = error
                    }
                }
                #expect(seen == ReaderError(.noTag))
                await #expect(throws: ReaderError(.tagLost)) {
                    try await reader.exchange([0x30, 0])
                }
            }
        }

        @Test(
            "A tag swapped for the selected one is not written and is selected by its own number",
            .readersWithTags)
        func swapped() async {
            await Kind.each { kind in
                let reader = try await kind.bench()
                try kind.lay(uid: Kind.otherUID)
                await #expect(throws: (any Error).self) {
                    try await reader.exchange([0xA2, 0x10, 1, 2, 3, 4])
                }
                #expect(kind.slot.change { $0.writeCount } == 0)
                #expect(try await reader.select(within: Kind.limit).uid == Kind.otherUID)
                await reader.release()
            }
        }

        @Test(
            "A card in use by one connection is busy for another until it is released",
            .readersWithTags)
        func busy() async throws {
            let first = try await Kind.plain.bench()
            let second = try await Kind.plain.open()
            await #expect(throws: ReaderError(.busy)) { try await second.select(within: .zero) }
            #expect(try await first.exchange([0x30, 0]).count == 16)
            await first.release()
            #expect(try await second.select(within: Kind.limit).uid == Kind.uid)
            await second.release()
        }

        @Test(
            "A card of another kind is not a Type 2 tag", .emptyReaders,
            arguments: [
                // A DESFire, a MIFARE Classic 1K, a SIM card in a slot with contacts, nonsense.
                [0x3B, 0x81, 0x80, 0x01, 0x80, 0x80], PlayedStorageReader.storageCard(name: 1),
                [0x3B, 0x9F, 0x96, 0x80, 0x1F, 0xC7], [0x3B, 0x00],
            ])
        func otherCard(answerToReset: [UInt8]) async throws {
            // A card of an earlier test that left unnoticed would still be there to pcscd.
            PlayedReaders.stop()
            Kind.plain.slot.change { $0.otherCard = answerToReset }
            try await PlayedReaders.start()
            let reader = try await Kind.plain.open()
            var found: TagIdentity?
            do { found = try await reader.select(within: .seconds(1)) } catch {
                #expect(error == ReaderError(.noTag))
            }
            #expect(found?.isType2 != true)
            await reader.release()
        }

        @Test(
            "A reader with several slots uses the slot with a tag and ignores a SIM card",
            .emptyReaders)
        func slots() async throws {
            PlayedReaders.stop()
            let sim: [UInt8] = [0x3B, 0x9F, 0x96, 0x80, 0x1F, 0xC7]
            Kind.plain.slot.change { $0.otherCard = sim }
            let second = PlayedSlot(besides: PlayedReaders.plain, PlayedStorageReader())
            try await PlayedReaders.start(PlayedReaders.slots + [second])
            let reader = try await PCSCReader.open("plain contactless reader")
            await #expect(throws: ReaderError(.noTag)) {
                try await reader.select(within: .milliseconds(300))
            }
            let tag = try #require(TagMemory.blank(.ntag213, uid: Kind.uid))
            second.change { $0.lay(tag) }
            #expect(try await reader.select(within: Kind.limit).uid == Kind.uid)
            await reader.release()
        }

        @Test("Every reader names a card of another family", .emptyReaders)
        func family() async throws {
            PlayedReaders.stop()
            for kind in Kind.allCases {
                kind.slot.change {
                    $0.otherCard = PlayedStorageReader.storageCard(standard: 0x11, name: 0x003B)
                }
            }
            try await PlayedReaders.start()
            for kind in Kind.allCases {
                let reader = try await kind.open()
                let found = try await reader.select(within: Kind.limit)
                #expect(found.kind == "FeliCa card" && found.uid == [1, 2, 3, 4], "\(kind)")
                await reader.release()
            }
        }
    }
}
