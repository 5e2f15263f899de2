import CardCryptography
import Ledger
import Ntag424
import PCSCReader
import PlayedPCSCReaders
import TagReading
import TapcardCore
import TapcardDomain
import Testing
import Type2Tag

extension PCSCReaderTests {
    @Suite("carries a card through its life", .stage)
    struct CardLife {
        @Test("made, read, charged, scratched and topped up", arguments: Kind.raw)
        func wholeLife(kind: Kind) async throws {
            try kind.lay()
            let counter = PCSCCounter(try await kind.open())
            try await counter.make()
            #expect(try await counter.station.read().balance == PCSCCounter.usd(1_000))
            #expect(try await counter.pay(250).balance == PCSCCounter.usd(750))
            #expect(try await counter.station.scratch(id: counter.newID()).display == .current)
            let added = try await counter.station.add(PCSCCounter.usd(500), id: counter.newID())
            #expect(added.balance == PCSCCounter.usd(1_250))
            try await counter.expectAgreement("at the end")
            let info = try await counter.station.tagInfo()
            #expect(info.chip == "NTAG213")
        }

        @Test("made of an NTAG 424 DNA, and charged, through every make of reader")
        func provenCard() async throws {
            try await Stage.clear()
            for kind in Kind.allCases {
                kind.slot.become(PlayedChipReader(ChipMemory.signedExample))
                kind.slot.change { $0.otherCard = PlayedChipReader.answerToReset }
                let counter = PCSCCounter(try await kind.open())
                try await counter.make()
                #expect(try await counter.station.read().chip == .ntag424, "\(kind)")
                #expect(try await counter.pay(250).balance == PCSCCounter.usd(750), "\(kind)")
                let added = try await counter.station.add(
                    PCSCCounter.usd(500), id: counter.newID())
                #expect(added.balance == PCSCCounter.usd(1_250), "\(kind)")
                _ = try await counter.station.scratch(id: counter.newID())
                let reading = try await counter.station.read()
                #expect(reading.balance == PCSCCounter.usd(1_250), "\(kind)")
                #expect(reading.scratch.code != nil, "\(kind)")
                let report = try await counter.ledger.audit()
                #expect(report.violations.isEmpty && report.open == 0, "\(kind)")
                let info = try await counter.station.tagInfo()
                #expect(info.chip == "NTAG424" && info.keyVersions == [2, 2, 2, 2, 2], "\(kind)")
            }
        }

        @Test("protected, charged and unprotected", arguments: Kind.raw)
        func protection(kind: Kind) async throws {
            try kind.lay()
            let counter = PCSCCounter(try await kind.open())
            try await counter.make()
            _ = try await counter.station.protect(id: counter.newID())
            #expect(kind.slot.change { $0.tag?[0x29] } == Page(4, 0, 0, 2))
            #expect(try await counter.pay(250).balance == PCSCCounter.usd(750))
            try await counter.expectAgreement("while it is protected")
            _ = try await counter.station.unprotect(id: counter.newID())
            #expect(kind.slot.change { $0.tag?[0x29] } == Page(4, 0, 0, 0xFF))
            try await counter.expectAgreement("afterwards")
        }

        @Test("no password is sent by a plain reader, and nothing is begun")
        func plainReaderProtectsNone() async throws {
            let counter = try await PCSCCounter.withCard(on: .plain)
            await #expect(throws: TapcardError(.unsupportedReader, "")) {
                try await counter.station.protect(id: counter.newID())
            }
            try await counter.expectAgreement("on a plain reader")
        }

        @Test("a card that the ledger knows is read and charged over storage commands")
        func plainReader() async throws {
            let counter = try await PCSCCounter.withCard(on: .plain)
            #expect(try await counter.station.read().balance == PCSCCounter.usd(1_000))
            #expect(try await counter.pay(250).balance == PCSCCounter.usd(750))
            #expect(try await counter.station.scratch(id: counter.newID()).display == .current)
            try await counter.expectAgreement("on a plain reader")
        }

        @Test("but no card is made over them: the tag cannot be asked what it is")
        func plainReaderMakesNone() async throws {
            try Kind.plain.lay()
            let counter = PCSCCounter(try await Kind.plain.open())
            await #expect(throws: TapcardError(.unsupportedReader, "")) { try await counter.make() }
            await #expect(throws: TapcardError(.unsupportedReader, "")) {
                try await counter.station.read()
            }
            #expect(Kind.plain.slot.change { $0.writeCount } == 0)
            let uid = try #require(CardUID(bytes: Kind.uid))
            #expect(try await counter.ledger.view(of: uid) == nil)
        }

        @Test("pulled away at any command of a payment and put back: settled at the next tap")
        func pulled() async {
            await Kind.each { kind in try await Self.interrupt(on: kind, .pulled) }
        }

        @Test("without power for a moment at any command of a payment: settled")
        func lifted() async {
            await Kind.each { kind in try await Self.interrupt(on: kind, .liftedAfter) }
        }

        /// Pays a cent at a time, with the fault one command later each time, until it comes too
        /// late.
        private static func interrupt(on kind: Kind, _ fault: PlayedFault.Kind) async throws {
            let counter = try await PCSCCounter.withCard(on: kind)
            _ = try await counter.station.read()
            kind.slot.change { $0.isSlowToNotice = true }
            // A card that is pulled before it was found does not come back while this waits.
            let hasty = PCSCCounter(
                counter.station.reader, ledger: counter.ledger, wait: .milliseconds(200))
            var command = 0
            var isDue = true
            while isDue {
                command += 1
                let label: Comment = "\(kind), command \(command), \(fault)"
                let before = try await counter.balance()
                kind.slot.change { $0.fault = PlayedFault(at: command, fault) }
                let id = counter.newID()
                var said: TapcardError?
                do { _ = try await hasty.pay(1, id: id) } catch { said = error }
                isDue = kind.slot.change { field in
                    defer { field.fault = nil }
                    field.putBack()
                    return field.fault == nil
                }
                let reading = try await counter.station.read()
                #expect(reading.seal == .valid && reading.problem == nil, label)
                let settled = try await counter.balance()
                switch said?.result {
                case nil: #expect(settled == before - 1, label)
                case .unknown: #expect([before, before - 1].contains(settled), label)
                default: #expect(settled == before, label)
                }
                try await counter.expectAgreement(label)
                // The same payment again is taken once in all, unless it was voided for good.
                var again: TapcardError?
                do { _ = try await counter.pay(1, id: id) } catch { again = error }
                #expect(again == nil || again?.kind == .operationVoided, label)
                let left = again == nil ? before - 1 : before
                #expect(try await counter.balance() == left, label)
            }
            #expect(command > 8, "too few commands were interrupted")
        }
    }
}
