import CardCryptography
import PCSCReader
import PlayedPCSCReaders
import Tags
import Testing

extension PCSCReaderTests {
    @Suite("Card commands over PC/SC", .serialized)
    struct PCSCCommandTests {
        private static let key = AESKey([UInt8](repeating: 0, count: AESKey.size))

        private func lay(_ kind: Kind) {
            kind.slot.become(PlayedNTAG424Reader(NTAG424Memory.signedExample))
            kind.slot.change { $0.otherCard = PlayedNTAG424Reader.answerToReset }
        }

        private func run(
            _ first: NTAG424Conversation.Step, _ conversation: inout NTAG424Conversation,
            _ reader: PCSCReader
        ) async throws -> [UInt8] {
            var step = first
            while true {
                switch step {
                case .finished(let data): return data
                case .doneWithoutMAC: return []
                case .send(let command):
                    step = try conversation.receive(try await reader.exchange(command: command))
                }
            }
        }

        @Test("An NTAG 424 is authenticated, written and read through every kind of reader")
        func conversation() async throws {
            try await PlayedReaders.clear()
            for kind in Kind.allCases {
                lay(kind)
                let reader = try await kind.open()
                let identity = try await reader.select(within: Kind.limit)
                #expect(identity.usesBlocks, "\(kind)")
                #expect(identity.uid == NTAG424Memory.signedExample.number, "\(kind)")
                var conversation = NTAG424Conversation()
                let select = try conversation.begin(.selectApplication)
                _ = try await run(select, &conversation, reader)
                let proof = try conversation.authenticate(
                    .three, Self.key, random: [UInt8](repeating: 3, count: 16))
                _ = try await run(proof, &conversation, reader)
                let write = try conversation.begin(
                    .writeData(.data, offset: 0, data: [1, 2, 3]), file: .full)
                _ = try await run(write, &conversation, reader)
                let read = try conversation.begin(
                    .readData(.data, offset: 0, length: 4), file: .full)
                #expect(try await run(read, &conversation, reader) == [1, 2, 3, 0], "\(kind)")
                await reader.release()
                await #expect(throws: ReaderError(.tagLost)) {
                    _ = try await reader.exchange(command: [0x90, 0x60, 0, 0, 0])
                }
            }
        }

        @Test("A selection ends the session, and reader commands never go to the card")
        func selection() async throws {
            try await PlayedReaders.clear()
            lay(.plain)
            let reader = try await Kind.plain.open()
            _ = try await reader.select(within: Kind.limit)
            let select = CardCommand.selectApplication.plain.bytes
            #expect(try await reader.exchange(command: select) == [0x90, 0x00])
            await #expect(throws: ReaderError(.unsupported)) {
                _ = try await reader.exchange(command: [0xFF, 0xCA, 0, 0, 0])
            }
            _ = try await reader.select(within: Kind.limit)
            let version = CardCommand.getKeyVersion(.one).plain.bytes
            #expect(try await reader.exchange(command: version) == [0x91, 0x40])
            await reader.release()
        }

        @Test("Only an NTAG 424's answer to reset marks a card that takes commands")
        func answersToReset() {
            #expect(SmartCardATR.usesBlocks(PlayedNTAG424Reader.answerToReset))
            #expect(!SmartCardATR.usesBlocks(PlayedStorageReader.answerToReset))
            for count in 0..<PlayedNTAG424Reader.answerToReset.count {
                let part = Array(PlayedNTAG424Reader.answerToReset.prefix(count))
                #expect(!SmartCardATR.usesBlocks(part))
            }
            for bit in 0..<48 {
                var changed = PlayedNTAG424Reader.answerToReset
                changed[bit / 8] ^= 1 << (bit % 8)
                #expect(!SmartCardATR.usesBlocks(changed), "\(bit)")
            }
        }
    }
}
