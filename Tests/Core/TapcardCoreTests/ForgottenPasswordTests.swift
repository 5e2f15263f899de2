import Cards
import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// A card was protected after the backup, and the record that shows this was destroyed. Its older
/// record agrees with the restored ledger, which knows no password.
@Suite("Passwords unknown to a restored ledger")
struct ForgottenPasswordTests {
    @Test("A password unknown to a restored ledger is found by a payment or a repair")
    func found() async throws {
        for isRepair in [false, true] {
            let world = try await forgotten()
            if isRepair {
                let summary = try await world.station.repair(naming: try await world.uid())
                #expect(summary.problem == nil && summary.balance == World.usd(1_000))
                try await world.expectProtected(as: .on(keyID: 1))
            }
            _ = try await world.station.pay(World.usd(100), id: World.id(5))
            #expect(try await world.balance() == 900)
            try await world.expectProtected(as: .on(keyID: 1))
            try await world.expectResolved()
        }
    }

    @Test("A repair refuses a foreign password and tries none on a tag that counts wrong ones")
    func notFound() async throws {
        for limit: UInt8 in [0, 7] {
            let world = try await forgotten()
            try await world.alter { tag in
                tag[0x2A][0] = limit
                tag.setPasswordOfAnother(from: nil)
            }
            let before = try await world.tag()
            let reader = InterposedReader(world.reader)
            let uid = try await world.uid()
            await expectRefused(.protectedTag, exit: 4) { () throws(TapcardError) in
                try await world.station(reader: reader).repair(naming: uid)
            }
            #expect(try await world.tag() == before)
            #expect(reader.passwords.count == (limit == 0 ? 1 : 0))
        }
    }

    /// A protected card whose ledger is from before it was protected.
    private func forgotten() async throws -> World {
        let lost = try await World.withCard()
        _ = try await lost.station.protect(id: World.id(2))
        var tag = try await lost.tag()
        let world = try await World.withCard()
        let old = try await world.tag()
        #expect(try await world.ledger.skipNumbersAfterRestore() == [])
        for first in try tag.layout.recordPages {
            let pages = first..<first + 4
            if pages.contains(where: { tag[$0] != old[$0] }) {
                for page in pages { tag[page] = .zero }
            }
        }
        try await world.put(tag)
        return world
    }
}
