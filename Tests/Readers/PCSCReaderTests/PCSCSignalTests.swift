import PCSCReader
import PlayedPCSCReaders
import Tags
import Testing

extension PCSCReaderTests {
    @Suite("Beeps and lights over PC/SC", .readersWithTags)
    struct Signals {
        private static let silence: [UInt8] = [0xFF, 0x00, 0x52, 0x00, 0x00]

        /// The commands for the reader's buzzer and lights.
        private func signals(_ kind: Kind) -> [[UInt8]] {
            kind.slot.change { field in
                field.commands.filter { command in
                    command.first == 0xE0
                        || [[0xFF, 0x00, 0x52], [0xFF, 0x00, 0x40]].contains(command.prefix(3))
                }
            }
        }

        @Test("An ACR122U is silenced once, and signals the result of an operation")
        func acr122u() async throws {
            let reader = try await Kind.acr122.bench()
            #expect(signals(.acr122) == [Self.silence])
            await reader.release(signaling: .done)
            let done: [UInt8] = [0xFF, 0x00, 0x40, 0xA0, 0x04, 0x01, 0x00, 0x01, 0x01]
            #expect(signals(.acr122) == [Self.silence, done])
            // The signal was sent while the card was present, and the card can still be selected.
            #expect(try await reader.select(within: Kind.limit).uid == Kind.uid)
            await reader.release(signaling: .refused)
            let refused: [UInt8] = [0xFF, 0x00, 0x40, 0x50, 0x04, 0x01, 0x01, 0x02, 0x01]
            #expect(signals(.acr122) == [Self.silence, done, refused])
            #expect(try await reader.select(within: Kind.limit).uid == Kind.uid)
            await reader.release()
            await reader.release(signaling: .done)
            #expect(signals(.acr122) == [Self.silence, done, refused])
        }

        @Test("A card never receives signals, whether the reader has none or uses escape commands")
        func others() async throws {
            for kind in [Kind.acr1252, .plain] {
                let reader = try await kind.bench()
                await reader.release(signaling: .done)
                #expect(try await reader.select(within: Kind.limit).uid == Kind.uid)
                await reader.release(signaling: .refused)
                #expect(signals(kind) == [])
            }
        }

        @Test("A lost or invalid response to a signal changes nothing")
        func faulty() async throws {
            let reader = try await Kind.acr122.bench()
            Kind.acr122.slot.change { $0.isSlowToNotice = true }
            for kind in [PlayedFault.Kind.answering([0x63, 0x00]), .answering([0x12]), .pulled] {
                Kind.acr122.slot.change { $0.fault = PlayedFault(at: 1, kind) }
                await reader.release(signaling: .done)
                Kind.acr122.slot.change { $0.putBack() }
                #expect(try await reader.select(within: Kind.limit).uid == Kind.uid)
            }
            await reader.release()
        }

        @Test("Only models with known manuals receive commands")
        func models() {
            let escape = SignalCommands(
                of: "ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] 00 00")
            #expect(escape.silence == [])
            #expect(
                escape.commands(for: .done) == [
                    .escape([0xE0, 0x00, 0x00, 0x29, 0x01, 0x02]),
                    .escape([0xE0, 0x00, 0x00, 0x28, 0x01, 0x0A]),
                ])
            #expect(
                escape.commands(for: .refused) == [
                    .escape([0xE0, 0x00, 0x00, 0x29, 0x01, 0x01]),
                    .escape([0xE0, 0x00, 0x00, 0x28, 0x01, 0x32]),
                ])
            for name in ["ACS ACR1222L 00 00", "ACS ACR1255U-J1", "Plain Contactless Reader", ""] {
                let none = SignalCommands(of: name)
                #expect(
                    none.silence + none.commands(for: .done) + none.commands(for: .refused) == [])
            }
        }
    }
}
