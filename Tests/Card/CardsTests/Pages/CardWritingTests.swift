import Cards
import Tags
import Testing

@Suite("Pages to write for a change of a card")
struct CardWritingTests {
    static let guardPage = PageWrite(0x04, Page(0x03, 0x00, 0xFE, 0x00))
    /// The number of used pages, out of 28.
    static let used = 20
    static let old = area { UInt8($0) }

    /// The bytes of an NTAG213's area, with zeros after the used pages.
    static func area(_ content: (Int) -> UInt8) -> [UInt8] {
        (0..<112).map { $0 < used * 4 ? content($0 + 1) : 0 }
    }

    private func write(_ page: UInt8, of area: [UInt8]) throws -> PageWrite {
        let start = (Int(page) - 4) * 4
        return PageWrite(page, try #require(Page(area[start..<start + 4])))
    }

    private func writes(
        _ old: [UInt8], _ new: [UInt8], all: Bool = false
    ) -> [PageWrite] {
        CardLayout.ntag213.writes(replacing: old, with: new, rewritingAll: all)
    }

    @Test("Nothing is written if nothing changes")
    func nothing() {
        #expect(writes(Self.old, Self.old).isEmpty)
    }

    @Test("A change writes the guard, then the changed pages, and the first page last")
    func changed() throws {
        for pages in [[0x09], [0x09, 0x0A], [0x05, 0x17], [0x1F]] as [[UInt8]] {
            var new = Self.old
            for page in pages { new[(Int(page) - 4) * 4 + 2] ^= 0x40 }
            let middle = try pages.map { try write($0, of: new) }
            #expect(
                writes(Self.old, new) == [Self.guardPage] + middle + [try write(4, of: new)])
        }
    }

    @Test("A change of the first page alone needs the guard, too")
    func firstPage() throws {
        var new = Self.old
        new[1] ^= 1
        #expect(writes(Self.old, new) == [Self.guardPage, try write(4, of: new)])
    }

    @Test("A requested rewrite covers all used pages even if nothing changes")
    func rewriting() throws {
        let middle = try (0x05...0x17 as ClosedRange<UInt8>).map { try write($0, of: Self.old) }
        let expected = [Self.guardPage] + middle + [try write(4, of: Self.old)]
        #expect(writes(Self.old, Self.old, all: true) == expected)
    }

    @Test("All used pages are rewritten if an interrupted write left its guard")
    func brokenOff() throws {
        let torn = Self.guardPage.content.bytes + Self.old.dropFirst(4)
        #expect(writes(torn, Self.old) == writes(Self.old, Self.old, all: true))
    }

    @Test(
        "A page beyond the new message is cleared, and unchanged pages only on a rewrite",
        arguments: [false, true])
    func shorter(all: Bool) throws {
        let longer = Self.old.enumerated().map { $0 == 111 ? 0xFF : $1 }
        let pages = writes(longer, Self.old, all: all)
        #expect(pages.contains(try write(0x1F, of: Self.old)))
        #expect(pages.contains(try write(0x17, of: Self.old)) == all)
        #expect(!pages.contains(try write(0x1E, of: Self.old)))
    }

    @Test("A payment changes two pages between the guard and the first page")
    func payment() throws {
        let fixture = try CardFixture()
        let (before, after) = (try fixture.area(1_250), try fixture.area(800))
        let pages = writes(before, after).map(\.page)
        #expect(pages == [0x04, 0x09, 0x0A, 0x04])
        #expect(writes(before, after).first == Self.guardPage)
    }

    @Test("Areas of different sizes give no writes")
    func sizes() {
        #expect(writes(Self.old, Self.old + [0, 0, 0, 0], all: true).isEmpty)
    }

    @Test(
        "A record is written to the four pages of its slot",
        arguments: [CardLayout.ntag213, .larger], [0, 1])
    func record(layout: CardLayout, place: Int) {
        let first = layout.recordPages[place]
        let writes = layout.writes(record: numbered(first...first + 3), to: place)
        #expect(writes == (first...first + 3).map { PageWrite($0, Page($0, $0, $0, $0)) })
    }
}
