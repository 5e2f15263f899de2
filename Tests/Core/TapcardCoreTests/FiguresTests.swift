import Cards
import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// The number of commands that a tap takes, counted at the tag.
@Suite("The commands of a tap")
struct FiguresTests {
    @Test("Reading a known card takes one command", arguments: Type2Chip.known)
    func knownCard(_ chip: Type2Chip) async throws {
        let world = try await World.withCard(chip)
        let reader = InterposedReader(world.reader)
        _ = try await world.station(reader: reader).read()
        let layout = try await world.tag().layout
        let pages = layout.pages
        #expect(
            reader.commands == [.fastRead(pages.lowerBound, pages.upperBound)])
        #expect(reader.limits.count == 1)
    }

    @Test(
        "Reading an unknown card takes four commands and writes nothing", arguments: Type2Chip.known
    )
    func strangersCard(_ chip: Type2Chip) async throws {
        let elsewhere = try await World.withCard(chip)
        let world = World(try World.blank(chip))
        try await world.put(try await elsewhere.tag())
        let reader = InterposedReader(world.reader)
        _ = try await world.station(reader: reader).read()
        #expect(reader.commands.count == 4)
        #expect(reader.writes.isEmpty)
    }

    @Test(
        "A payment takes at most twelve commands, eight or nine of them writes",
        arguments: Type2Chip.known,
        [(1_000, 250), (9_999_999, 1), (9_999_999, 9_999_999), (99_999_999, 1), (10_000_001, 2)])
    func payment(_ chip: Type2Chip, _ figures: (balance: Int64, amount: Int64)) async throws {
        let world = World(try World.blank(chip))
        try await world.issue(figures.balance)
        let reader = InterposedReader(world.reader)
        let station = world.station(reader: reader)
        _ = try await station.pay(World.usd(figures.amount), id: World.id(2))
        let commands = reader.commands
        let writes = reader.writes
        #expect(commands.count <= 12)
        #expect(writes.count <= (figures.balance <= 9_999_999 ? 8 : 9))
        #expect(reader.limits.count == 1)

        // The record comes first, and is read back before anything else is written.
        let layout = try await world.tag().layout
        let places = layout.recordPages.map { first in (0..<4).map { first + $0 } }
        #expect(places.contains(Array(writes.prefix(4))))
        #expect(commands.dropFirst().prefix(4).allSatisfy { $0.isWrite })
        let place = try #require(writes.first)
        #expect(commands.dropFirst(5).first == .fastRead(place, place + 3))
    }

    @Test("Scratching a card writes at most thirty pages", arguments: Type2Chip.known)
    func scratching(_ chip: Type2Chip) async throws {
        let world = try await World.withCard(chip)
        let reader = InterposedReader(world.reader)
        _ = try await world.station(reader: reader).scratch(id: World.id(2))
        let writes = reader.writes
        #expect(writes.count <= 30 && writes.count > 8)
    }

    @Test(
        "A request writes only the pages that need it, and a resolved card is only read",
        arguments: Type2Chip.known, TillRequest.allCases)
    func onlyWhatChanges(_ chip: Type2Chip, _ request: TillRequest) async throws {
        let world = try await request.world(on: chip)
        var memory = try await world.tag()
        let layout = try memory.layout
        let reader = InterposedReader(world.reader)
        try await request.perform(at: world.station(reader: reader))
        for case .write(let page, let content) in reader.commands {
            // A record and the settings may be weak where they read right.
            let isOfRecord = page >= layout.recordPages[0]
            #expect(page == 4 || isOfRecord || memory[page] != content, "\(request), page \(page)")
            memory[page] = content
        }
        #expect(memory == (try await world.tag()))
        _ = try await world.station(reader: reader).read()
        let count = reader.writes.count
        _ = try await world.station(reader: reader).read()
        #expect(reader.writes.count == count, "a resolved card is only read")
    }

    @Test(
        "Nothing outside the card is written, except settings to switch its protection",
        arguments: Type2Chip.known)
    func insideTheCard(_ chip: Type2Chip) async throws {
        for request in TillRequest.allCases {
            let world = try await request.world(on: chip)
            let layout = try await world.tag().layout
            let settings = request.changesProtection ? chip.settings : []
            let allowed = Set(layout.pages).union(settings)
            let before = try await world.tag()
            let reader = InterposedReader(world.reader)
            let station = world.station(reader: reader)
            _ = try? await request.perform(at: station)
            let uid = try await world.uid()
            _ = try? await station.read()
            _ = try? await world.change(uid, .forget)
            _ = try? await station.repair(naming: uid)
            #expect(reader.writes.allSatisfy(allowed.contains))
            let after = try await world.tag()
            for page in 0..<UInt8(chip.pageCount) where !allowed.contains(page) {
                #expect(after[page] == before[page], "\(request), page \(page)")
            }
        }
    }
}

extension TillRequest {
    fileprivate var changesProtection: Bool {
        self == .protect || self == .unprotect || self == .issueProtected
    }
}

extension Type2Chip {
    /// CFG0, CFG1, PWD and PACK.
    fileprivate var settings: [UInt8] {
        configurationPage.map { Array($0...$0 + 3) } ?? []
    }
}

extension InterposedReader {
    /// The commands that the tag received.
    fileprivate var commands: [Type2Command] {
        exchanges.compactMap { try? Type2Command(frame: $0.frame) }
    }

    /// The written pages, in order.
    fileprivate var writes: [UInt8] {
        commands.compactMap { if case .write(let page, _) = $0 { page } else { nil } }
    }
}

extension Type2Command {
    fileprivate var isWrite: Bool { if case .write = self { true } else { false } }
}
