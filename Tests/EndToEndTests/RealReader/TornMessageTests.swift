import PN532Emulator
import SimulatedReader
import Tags
import TestSupport
import Testing
import TextCodecs

/// The built program writes messages over the real libnfc, and the tag is pulled away at each of
/// its commands. A phone then finds the old message, none, or the new one.
@Suite("Tags pulled away while a message is written over libnfc", .ownThread)
struct TornMessageTests {
    private static let short = Content("https://example.com/17")
    private static let long = Content("https://example.com/a-longer-address/with-some-words")
    /// As long as `long`, so that its length would fit a mixture of both.
    private static let other = Content("https://example.com/another-address/with-other-words")
    private static let uid = Content("https://example.com/{uid}?n=1", mirror: "uid")
    private static let both = Content("https://example.com/{uid}x{counter}?n=1", mirror: "both")

    @Test(
        "A tag pulled away at any command shows phones the old message, none, or the new one",
        arguments: [
            ("NTAG213", long, short), ("NTAG213", short, long), ("NTAG213", long, other),
            ("NTAG213", long, uid), ("NTAG213", both, short), ("NTAG424", long, short),
            ("NTAG424", long, other), ("NTAG424", long, both), ("NTAG424", both, short),
        ])
    func pulled(_ chip: String, _ old: Content, _ new: Content) throws {
        let stations = try (0..<Self.stationCount).map { _ in try EmulatedTill(isSetUp: false) }
        let first = stations[0]
        first.tell("present \(chip)")
        try first.write(old.line)
        let start = first.reader.simulation
        try first.write(new.line)
        let places = Self.places(first.reader.counters)
        var found: [String: Int] = [:]
        for index in stride(from: 0, to: places.count, by: stations.count) {
            let pairs = Array(zip(stations, places[index...]))
            let runs = try pairs.map { try Self.begin(new, from: start, $0, $1) }
            for ((station, place), run) in zip(pairs, runs) {
                var ended = try run.end()
                // The fault has not come: the played reader was too slow for libnfc.
                for _ in 0..<Till.mostTries where ended.status != 0 && Self.isArmed(station) {
                    ended = try Self.begin(new, from: start, station, place).end()
                }
                let seen = try Self.phone(station)
                let isOld = try old.isShown(seen, by: start)
                let isNew = try new.isShown(seen, by: start)
                let what: Comment = "\(chip), \(old) to \(new), \(place): \(ended), \(seen ?? [])"
                #expect(seen == nil || isOld || isNew, what)
                #expect((ended.status == 0) == ended.output.hasPrefix("Written"), what)
                switch ended.status {
                case 0: #expect(isNew, what)
                // The outcome is unknown.
                case 6: break
                default: #expect(isOld, what)
                }
                if Self.isArmed(station) { continue }
                found[isOld ? "old" : isNew ? "new" : "none", default: 0] += 1
            }
        }
        let count = found.values.reduce(0, +)
        print("\(chip), \(old) to \(new), pulled away \(count) times: \(found)")
        #expect(count >= places.count * 9 / 10)
        #expect(found.count == 3 || Thoroughness.isSanitized, "\(found)")
    }

    private static let stationCount = 2

    /// The tag is pulled away before each frame, and before, during, and after each WRITE. The last
    /// frames are tried first. `counters` are those of an undisturbed run.
    private static func places(_ counters: EmulatorCounters) -> [String] {
        let step = Thoroughness.step(1)
        // On an NTAG 424, the number is that of the bytes that were written.
        let mixtures = Thoroughness.asked == .prove ? Array(1...100) : [1, 12, 30]
        let torn =
            mixtures.map { "torn mix \($0)" }
            + ["torn zero", "torn new-some 5", "torn old-lowest 9"]
        return stride(from: counters.dataCommands, through: 1, by: -step).map { "frame \($0) lost" }
            + (torn + ["acknowledge-lost", "pulled-after"]).flatMap { fault in
                stride(from: counters.writes, through: 1, by: -step).map { "write \($0) \(fault)" }
            }
    }

    private static func begin(
        _ content: Content, from start: Simulation, _ station: EmulatedTill, _ fault: String
    ) throws -> ChildProcess {
        // Off and on again: no tag keeps what it had in its field.
        station.reader.change { $0.take() }
        station.reader.change { $0 = start }
        station.tell("fault \(fault)")
        return try station.till.start(station.till.words(of: content.line + " --timeout 0"))
    }

    private static func isArmed(_ station: EmulatedTill) -> Bool {
        station.reader.simulation.fault != nil
    }

    /// The message that a phone opens; nil if it opens none.
    private static func phone(_ station: EmulatedTill) throws -> [UInt8]? {
        var drawer = station.reader.simulation
        let uid = try #require(drawer.lastOnReader)
        let message: [UInt8]
        switch try #require(drawer.showToPhone(uid) { [UInt8](repeating: 7, count: $0) }) {
        case .message(let bytes, _): message = bytes ?? []
        case .area(let area): message = Self.message(on: area)
        }
        return (try? NDEFMessage(decoding: message, .lenient)) == nil ? nil : message
    }

    /// The value of the first block 03h, for lengths of one byte; empty if there is none.
    private static func message(on area: [UInt8]) -> [UInt8] {
        var rest = area[...]
        while let kind = rest.popFirst(), kind != 0xFE {
            guard kind != 0 else { continue }
            guard let count = rest.popFirst(), count != 0xFF, count <= rest.count else { break }
            if kind == 0x03 { return Array(rest.prefix(Int(count))) }
            rest = rest.dropFirst(Int(count))
        }
        return []
    }

    /// A link, as it is written and as phones see it.
    struct Content: Sendable, CustomStringConvertible {
        let description: String
        private let mirror: String?

        init(_ address: String, mirror: String? = nil) {
            (description, self.mirror) = (address, mirror)
        }

        /// The command that writes it.
        var line: String {
            "tag write --overwrite --url \(description)" + (mirror.map { " --mirror \($0)" } ?? "")
        }

        /// Whether this message is what the tag in the drawer should show to a phone. The chip
        /// fills in how often it was read, which is never zero.
        func isShown(_ message: [UInt8]?, by drawer: Simulation) throws -> Bool {
            guard let message else { return false }
            let address = description.replacing(
                "{uid}", with: Hexadecimal.encode(try #require(drawer.lastOnReader)))
            let parts = address.dropFirst("https://".count).split(separator: "{counter}")
                .map { Array($0.utf8) }
            // A well-known record "U"; 04h stands for "https://".
            let count = UInt8(parts.joined().count + 6 * (parts.count - 1) + 1)
            let first = [0xD1, 0x01, count, 0x55, 0x04] + parts[0]
            guard parts.count > 1 else { return message == first }
            return message.count == 4 + Int(count) && message.starts(with: first)
                && message.suffix(parts[1].count) == parts[1][...]
                && !message[first.count...].starts(with: Array("000000".utf8))
        }
    }
}
