import CardCryptography
import Cards
import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

extension TagMemory {
    /// Sets a foreign password and the first page for which the tag asks for it.
    mutating func setPasswordOfAnother(from first: UInt8? = 0x02) {
        self[0x2B] = Page(1, 2, 3, 4)
        if let first { self[0x29][3] = first }
    }

    /// Removes the password, as on a factory tag.
    mutating func takePasswordOff() {
        self[0x29] = Page(0x04, 0, 0, 0xFF)
        self[0x2B] = Page(0xFF, 0xFF, 0xFF, 0xFF)
        self[0x2C] = .zero
    }
}

extension InterposedReader {
    /// Every password that was sent, with the tag's answer.
    var passwords: [Exchange] {
        exchanges.filter { exchange in
            if case .authenticate? = try? Type2Command(frame: exchange.frame) {
                true
            } else {
                false
            }
        }
    }
}

/// Checks of a tag's settings in its memory and by frames, which use no code under test except the
/// password.
extension TagMemory {
    /// Expects the freshly powered tag to have this protection.
    func expectProtected(
        as protection: CardProtection, by keys: KeyRing = World.keys, _ label: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(protection.isStable, label, sourceLocation: sourceLocation)
        let cfg0 = self[try #require(chip.configurationPage)]
        let isProtected = protection != .off
        #expect(
            cfg0 == Page(0x04, 0, 0, isProtected ? 0x02 : 0xFF), label,
            sourceLocation: sourceLocation)
        try expectAlive(by: keys, label, sourceLocation: sourceLocation)

        // Page 5 is written with what it holds.
        let write = Type2Command.write(5, self[5]).frame
        let probe = SimulatedReader(Simulation([self], onReader: [uid]))
        _ = try await probe.select(within: .zero)
        if isProtected {
            await #expect(
                throws: ReaderError(.refused(0)), label, sourceLocation: sourceLocation
            ) { try await probe.exchange(write) }
            _ = try await probe.select(within: .zero)
            let password = try keys.password(protection.keyID, of: uid)
            let pack = try await probe.exchange(
                Type2Command.authenticate(password.password).frame)
            #expect(pack == password.pack, label, sourceLocation: sourceLocation)
        } else {
            #expect(
                self[chip.passwordPage ?? 0] == Page(0xFF, 0xFF, 0xFF, 0xFF), label,
                sourceLocation: sourceLocation)
            #expect(self[chip.packPage ?? 0] == .zero, label, sourceLocation: sourceLocation)
        }
        #expect(try await probe.exchange(write) == [], label, sourceLocation: sourceLocation)
    }

    /// Expects that the tag can still be opened: it asks for no password or for the issuer's,
    /// counts no wrong ones, and has no bit set that cannot be cleared.
    func expectAlive(
        by keys: KeyRing = World.keys, _ label: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let first = try #require(chip.configurationPage)
        #expect(self[first + 1][0] & 0x47 == 0, label, sourceLocation: sourceLocation)
        let asks = Int(self[first][3]) < chip.pageCount
        let own = try keys.password(1, of: uid)
        #expect(
            !asks
                || self[first + 2].bytes == own.password
                    && self[first + 3].bytes.prefix(2).elementsEqual(own.pack),
            label, sourceLocation: sourceLocation)
        let blank = try #require(TagMemory.blank(chip, uid: uid))
        for page in [0, 1, 2, 3, first - 1] {
            #expect(self[page] == blank[page], label, sourceLocation: sourceLocation)
        }
    }
}

extension World {
    func expectProtected(
        as protection: CardProtection, _ label: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await tag().expectProtected(
            as: protection, by: keys, label, sourceLocation: sourceLocation)
    }

    func password(_ keyID: UInt8?, of uid: [UInt8]) throws -> CardPassword {
        try keys.password(keyID, of: uid)
    }
}

extension KeyRing {
    fileprivate func password(_ keyID: UInt8?, of uid: [UInt8]) throws -> CardPassword {
        try #require(keyID.flatMap { entry($0)?.masters }).password(uid: uid)
    }
}
