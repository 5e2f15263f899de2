import CardCryptography
import Ledger
import PCSCReader
import PlayedPCSCReaders
import Tags
import TapcardCore
import TapcardDomain
import Testing

extension PCSCReaderTests {
    @Suite("A card's life over PC/SC", .readersWithTags)
    struct CardLife {
        @Test("A card is issued, read, paid with, scratched and topped up", arguments: Kind.raw)
        func wholeLife(kind: Kind) async throws {
            try kind.lay()
            let till = PCSCTill(try await kind.open())
            try await till.make()
            #expect(try await till.station.read().balance == PCSCTill.usd(1_000))
            #expect(try await till.pay(250).balance == PCSCTill.usd(750))
            #expect(try await till.station.scratch(id: till.newID()).display == .current)
            let added = try await till.station.add(PCSCTill.usd(500), id: till.newID())
            #expect(added.balance == PCSCTill.usd(1_250))
            try await till.expectAgreement("at the end")
            let info = try await till.station.tagInfo()
            #expect(info.chip == "NTAG213")
        }

        @Test("An NTAG 424 card is issued, paid with and topped up through every kind of reader")
        func provenCard() async throws {
            try await PlayedReaders.clear()
            for kind in Kind.allCases {
                kind.slot.become(PlayedNTAG424Reader(NTAG424Memory.signedExample))
                kind.slot.change { $0.otherCard = PlayedNTAG424Reader.answerToReset }
                let till = PCSCTill(try await kind.open())
                try await till.make()
                #expect(try await till.station.read().chip == .ntag424, "\(kind)")
                #expect(try await till.pay(250).balance == PCSCTill.usd(750), "\(kind)")
                let added = try await till.station.add(
                    PCSCTill.usd(500), id: till.newID())
                #expect(added.balance == PCSCTill.usd(1_250), "\(kind)")
                _ = try await till.station.scratch(id: till.newID())
                let reading = try await till.station.read()
                #expect(reading.balance == PCSCTill.usd(1_250), "\(kind)")
                #expect(reading.scratch.code != nil, "\(kind)")
                let report = try await till.ledger.audit()
                #expect(report.violations.isEmpty && report.open == 0, "\(kind)")
                let info = try await till.station.tagInfo()
                #expect(info.chip == "NTAG424" && info.keyVersions == [2, 2, 2, 2, 2], "\(kind)")
            }
        }

        @Test("A card is protected, paid with and unprotected", arguments: Kind.raw)
        func protection(kind: Kind) async throws {
            try kind.lay()
            let till = PCSCTill(try await kind.open())
            try await till.make()
            _ = try await till.station.protect(id: till.newID())
            #expect(kind.slot.change { $0.tag?[0x29] } == Page(4, 0, 0, 2))
            #expect(try await till.pay(250).balance == PCSCTill.usd(750))
            try await till.expectAgreement("while it is protected")
            _ = try await till.station.unprotect(id: till.newID())
            #expect(kind.slot.change { $0.tag?[0x29] } == Page(4, 0, 0, 0xFF))
            try await till.expectAgreement("afterwards")
        }

        @Test("A plain reader cannot protect a card, and nothing is begun")
        func plainReaderProtectsNone() async throws {
            let till = try await PCSCTill.withCard(on: .plain)
            await #expect(throws: TapcardError(.unsupportedReader, "")) {
                try await till.station.protect(id: till.newID())
            }
            try await till.expectAgreement("on a plain reader")
        }

        @Test("A known card is read and paid with over storage-card commands")
        func plainReader() async throws {
            let till = try await PCSCTill.withCard(on: .plain)
            #expect(try await till.station.read().balance == PCSCTill.usd(1_000))
            #expect(try await till.pay(250).balance == PCSCTill.usd(750))
            #expect(try await till.station.scratch(id: till.newID()).display == .current)
            try await till.expectAgreement("on a plain reader")
        }

        @Test("A plain reader cannot issue a card, and nothing is written")
        func plainReaderMakesNone() async throws {
            try Kind.plain.lay()
            let till = PCSCTill(try await Kind.plain.open())
            await #expect(throws: TapcardError(.unsupportedReader, "")) { try await till.make() }
            await #expect(throws: TapcardError(.unsupportedReader, "")) {
                try await till.station.read()
            }
            #expect(Kind.plain.slot.change { $0.writeCount } == 0)
            let uid = try #require(CardUID(bytes: Kind.uid))
            #expect(try await till.ledger.knownCard(of: uid) == nil)
        }

        @Test("A card pulled at any command of a payment is resolved at the next tap")
        func pulled() async {
            await Kind.each { kind in try await Self.interrupt(on: kind, .pulled) }
        }

        @Test("A card that loses power at any command of a payment is resolved at the next tap")
        func lifted() async {
            await Kind.each { kind in try await Self.interrupt(on: kind, .liftedAfter) }
        }

        /// Pays a cent at a time, with the fault one command later each time, until the fault comes
        /// after the payment.
        private static func interrupt(on kind: Kind, _ fault: PlayedFault.Kind) async throws {
            let till = try await PCSCTill.withCard(on: kind)
            _ = try await till.station.read()
            kind.slot.change { $0.isSlowToNotice = true }
            // A card that is pulled before it was found does not come back while this waits.
            let hasty = PCSCTill(
                till.station.reader, ledger: till.ledger, wait: .milliseconds(200))
            var command = 0
            var isDue = true
            while isDue {
                command += 1
                let label: Comment = "\(kind), command \(command), \(fault)"
                let before = try await till.balance()
                kind.slot.change { $0.fault = PlayedFault(at: command, fault) }
                let id = till.newID()
                var said: TapcardError?
                do { _ = try await hasty.pay(1, id: id) } catch { said = error }
                isDue = kind.slot.change { field in
                    defer { field.fault = nil }
                    field.putBack()
                    return field.fault == nil
                }
                let reading = try await till.station.read()
                #expect(reading.seal == .valid && reading.problem == nil, label)
                let resolved = try await till.balance()
                switch said?.result {
                case nil: #expect(resolved == before - 1, label)
                case .unknown: #expect([before, before - 1].contains(resolved), label)
                default: #expect(resolved == before, label)
                }
                try await till.expectAgreement(label)
                // The same payment again is taken once in all, unless it was voided for good.
                var again: TapcardError?
                do { _ = try await till.pay(1, id: id) } catch { again = error }
                #expect(again == nil || again?.kind == .operationVoided, label)
                let left = again == nil ? before - 1 : before
                #expect(try await till.balance() == left, label)
            }
            #expect(command > 8, "too few commands were interrupted")
        }
    }
}
