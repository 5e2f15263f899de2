import Tags
import Testing

@Suite("Models of Type 2 chips") struct Type2ChipTests {
    @Test("A chip is found by its name, model and version", arguments: Type2Chip.known)
    func isFoundByNameAndVersion(_ chip: Type2Chip) throws {
        #expect(Type2Chip(typed: chip.name) == chip)
        #expect(Type2Chip(typed: chip.name.lowercased()) == chip)
        #expect(chip.model.map(Type2Chip.init) == chip)
        #expect(Type2Chip(version: try #require(chip.version)) == chip)
        #expect(chip.hasFastRead)
    }

    /// A raw dump has nothing else to tell its chip by.
    @Test("Each known chip has a different number of pages")
    func hasALengthOfItsOwn() {
        #expect(Set(Type2Chip.known.map(\.pageCount)).count == Type2Chip.known.count)
    }

    @Test("An unknown name or version gives no chip")
    func doesNotGuess() {
        for word in ["", "NTAG21", "NTAG212", "NTAG213 ", "Type 2 tag"] {
            #expect(Type2Chip(typed: word) == nil)
        }
        #expect(Type2Chip(version: []) == nil)
        #expect(Type2Chip(version: [0, 4, 4, 2, 1, 0, 0x0F]) == nil)
        #expect(Type2Chip(version: [0, 4, 4, 2, 1, 0, 0x12, 3]) == nil)
    }

    @Test(
        "Each known chip has its documented layout and version",
        arguments: [
            (Type2Chip.ntag213, 45, UInt8(0x27), UInt8(0x28), UInt8(0x29), UInt8(0x0F)),
            (.ntag215, 135, 0x81, 0x82, 0x83, 0x11),
            (.ntag216, 231, 0xE1, 0xE2, 0xE3, 0x13),
        ])
    func hasTheLayoutOfTheFormat(
        _ chip: Type2Chip, _ pages: Int, _ lastUser: UInt8, _ lock: UInt8, _ configuration: UInt8,
        _ size: UInt8
    ) {
        #expect(chip.pageCount == pages)
        #expect(chip.userPages == 4...lastUser)
        #expect(chip.dynamicLockPage == lock)
        #expect(chip.configurationPage == configuration)
        #expect(chip.version == [0, 4, 4, 2, 1, 0, size, 3])
    }

    @Test("Each page of a chip has the documented role", arguments: Type2Chip.known)
    func givesEachPageOneRole(_ chip: Type2Chip) throws {
        let roles = (UInt8.min...UInt8.max).map(chip.role(of:))
        let user = [PageRole](repeating: .user, count: chip.userPages.count)
        let absent = [PageRole](repeating: .absent, count: 256 - chip.pageCount)
        #expect(
            roles == [.serial, .serial, .lock, .capability] + user
                + [.dynamicLock, .configuration, .configuration, .password, .pack] + absent)
    }

    @Test("The pages that Android takes for lock bytes are known for each chip")
    func leavesThePagesZeroThatAndroidTakesForLocks() {
        #expect(Type2Chip.ntag213.zeroPages == nil)
        #expect(Type2Chip.ntag215.zeroPages == 0x80...0x81)
        #expect(Type2Chip.ntag216.zeroPages == 0xDE...0xE1)
    }

    @Test(
        "An unknown chip gets its size from its capability container",
        arguments: [(0x06, 16), (0x12, 40), (0x7E, 256)] as [(UInt8, Int)])
    func sizesAnotherChipByItsCapability(_ size: UInt8, _ pages: Int) throws {
        let chip = try #require(Type2Chip.other(capability: Page(0xE1, 0x11, size, 0x0F)))
        #expect(chip.name == "Type 2 tag")
        #expect(chip.pageCount == pages)
        #expect(Int(chip.userPages.upperBound) == pages - 1)
        #expect(!chip.hasFastRead)
        #expect(chip.role(of: 3) == .capability)
        #expect(chip.role(of: chip.userPages.upperBound) == .user)
    }

    @Test(
        "An invalid capability container gives no chip",
        arguments: [
            Page.zero, Page(0xE2, 0x10, 0x12, 0), Page(0xE1, 0x20, 0x12, 0),
            Page(0xE1, 0x00, 0x12, 0),
            Page(0xE1, 0x10, 0x00, 0), Page(0xE1, 0x10, 0x7F, 0), Page(0xE1, 0x10, 0xFF, 0),
        ])
    func refusesAnotherCapability(_ page: Page) {
        #expect(Type2Chip.other(capability: page) == nil)
    }
}
