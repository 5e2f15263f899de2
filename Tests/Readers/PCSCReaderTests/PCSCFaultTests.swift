import PCSCReader
import PlayedPCSCReaders
import Tags
import Testing

extension PCSCReaderTests {
    @Suite("Faulty answers over PC/SC", .readersWithTags)
    struct Faults {
        /// Answers that no reader gives to any command.
        static let nonsense: [[UInt8]] = [
            [0x90], [0x12, 0x34], [0x6F, 0x00], [0x63, 0x00], [0xD5, 0x43, 0x90, 0x00],
            [0xD5, 0x41, 0x00, 0x0A, 0x90, 0x00], [0xC0, 0x03, 0x00, 0x90, 0x90, 0x00],
            [0xC0, 0x03, 0x00, 0x64, 0x01, 0x90, 0x00], [0x97, 0x01, 0x0A, 0x90, 0x00],
            [0x0A, 0x90, 0x00], [UInt8](repeating: 0xFF, count: 258),
        ]

        @Test("An answer of another form is not an acknowledge", arguments: Kind.allCases)
        func nonsense(kind: Kind) async throws {
            let reader = try await kind.bench()
            for answer in Self.nonsense {
                kind.slot.change { $0.fault = PlayedFault(at: 1, .answering(answer)) }
                await #expect(throws: ReaderError.self, "\(answer)") {
                    try await reader.exchange([0xA2, 0x10, 1, 2, 3, 4])
                }
                #expect(try await reader.select(within: Kind.limit).uid == Kind.uid)
            }
            await reader.release()
        }

        @Test("A READ answer with a wrong length or CRC is refused", arguments: Kind.allCases)
        func spoiltRead(kind: Kind) async throws {
            let reader = try await kind.bench()
            let data = [UInt8](repeating: 0, count: 16)
            for spoilt in [data, Array(data.dropLast()), data + [0x00, 0x00], [0x05]] {
                let answer: [UInt8] =
                    switch kind {
                    case .acr122: [0xD5, 0x43, 0x00] + spoilt
                    case .acr1252:
                        [0xC0, 0x03, 0x00, 0x90, 0x00, 0x97, UInt8(spoilt.count)] + spoilt
                    case .plain: spoilt == data ? [0x00] + spoilt : spoilt
                    }
                kind.slot.change {
                    $0.fault = PlayedFault(at: 1, .answering(answer + [0x90, 0x00]))
                }
                await #expect(throws: ReaderError.self, "\(spoilt)") {
                    try await reader.exchange([0x30, 0x00])
                }
                _ = try await reader.select(within: Kind.limit)
            }
            await reader.release()
        }

        @Test(
            "A write whose acknowledge is lost on the air times out, though the page is written",
            arguments: Kind.allCases)
        func acknowledgeLost(kind: Kind) async throws {
            let reader = try await kind.bench()
            kind.slot.change { $0.fault = PlayedFault(at: 1, .liftedAfter) }
            await #expect(throws: ReaderError(.timedOut)) {
                try await reader.exchange([0xA2, 0x10, 1, 2, 3, 4])
            }
            #expect(kind.slot.change { $0.tag?[0x10] } == Page(1, 2, 3, 4))
            #expect(kind.slot.change { $0.writeCount } == 1)
            _ = try await reader.select(within: Kind.limit)
            #expect(try await reader.exchange([0x30, 0x10]).prefix(4) == [1, 2, 3, 4])
            await reader.release()
        }

        @Test("A faulty answer at any command of a selection does not stop the selection")
        func duringSelection() async {
            await Kind.each { kind in
                try kind.lay()
                let reader = try await kind.open()
                var command = 1
                var isArmed = false
                while !isArmed {
                    for answer in Self.nonsense.prefix(3) {
                        kind.slot.change { $0.fault = PlayedFault(at: command, .answering(answer)) }
                        #expect(try await reader.select(within: Kind.limit).uid == Kind.uid)
                        await reader.release()
                        isArmed = kind.slot.change { $0.fault != nil }
                    }
                    command += 1
                }
                #expect(command > 2)
                kind.slot.change { $0.fault = nil }
            }
        }
    }
}
