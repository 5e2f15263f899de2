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
    /// A password that is not ours, and the page from which on the tag asks for it.
    mutating func setPasswordOfAnother(from first: UInt8? = 0x02) {
        self[0x2B] = Page(1, 2, 3, 4)
        if let first { self[0x29][3] = first }
    }

    /// No password, as from the factory.
    mutating func takePasswordOff() {
        self[0x29] = Page(0x04, 0, 0, 0xFF)
        self[0x2B] = Page(0xFF, 0xFF, 0xFF, 0xFF)
        self[0x2C] = .zero
    }
}

extension InterposedReader {
    /// Every password that was sent, and what the tag answered.
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

/// The settings of a tag, looked up in its memory and tried with frames, without any of the code
/// under test but the password.
extension TagMemory {
    /// Expects that the tag, freshly powered, is just as its ledger has it.
    func expectProtected(
        as protection: CardProtection, by keys: KeyRing = World.keys, _ label: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(protection.isSteady, label, sourceLocation: sourceLocation)
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

    /// Expects that the tag can still be opened: it asks for no password or for ours, counts no
    /// wrong ones, and nothing on it that can only be set was set.
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
