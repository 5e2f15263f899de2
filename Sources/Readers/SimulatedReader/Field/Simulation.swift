public import Tags

/// The world of a simulated reader: a drawer of tags, the tags on the reader, and the next fault.
public struct Simulation: Hashable, Sendable {
    /// The most tags in a drawer: enough for experiments, and a file of that size still reads at
    /// once.
    public static let mostTags = 64

    /// The name of the NTAG 424.
    package static let chipName = "NTAG424"

    /// Whether a typed text means that chip.
    package static func isChip(typed text: String) -> Bool {
        text.uppercased() == chipName || text == String(chipName.suffix(3))
    }

    /// The tags of the drawer.
    public private(set) var tags: [TagMemory]
    /// The NTAG 424 cards of the drawer, which prove themselves.
    package private(set) var chips: [NTAG424Memory]
    /// The UIDs of the tags on the reader.
    public private(set) var onReader: [[UInt8]]
    /// The tag that was on the reader last, for "put it back".
    public private(set) var lastOnReader: [UInt8]?
    /// The next fault; `nil` for none.
    public var fault: Fault?

    /// Creates a drawer with tags, some of them on the reader.
    public init(_ tags: [TagMemory] = [], onReader: [[UInt8]] = []) {
        self.init(tags, chips: [], onReader: onReader)
    }

    package init(_ tags: [TagMemory] = [], chips: [NTAG424Memory], onReader: [[UInt8]] = []) {
        self.tags = tags
        self.chips = chips
        self.onReader = onReader
        lastOnReader = onReader.last
    }

    /// One blank NTAG213 on the reader, for a new user.
    public static var fresh: Simulation {
        var simulation = Simulation()
        if let tag = simulation.addTag(.ntag213, random: { [UInt8](repeating: 0, count: $0) }) {
            simulation.put([tag.uid])
        }
        return simulation
    }

    /// The tags and chips with all that they keep without power, wherever they are.
    package var contents: Simulation { Simulation(tags, chips: chips) }

    /// The tag with this UID; `nil` if the drawer lacks it.
    public func tag(_ uid: [UInt8]) -> TagMemory? { tags.first { $0.uid == uid } }

    /// Replaces a tag of the drawer, or adds it.
    public mutating func save(_ tag: TagMemory) {
        if let index = tags.firstIndex(where: { $0.uid == tag.uid }) {
            tags[index] = tag
        } else {
            tags.append(tag)
        }
    }

    /// The NTAG 424 with this UID.
    package func chip(_ uid: [UInt8]) -> NTAG424Memory? { chips.first { $0.number == uid } }

    /// Replaces an NTAG 424 of the drawer, or adds it.
    package mutating func save(_ chip: NTAG424Memory) {
        if let index = chips.firstIndex(where: { $0.number == chip.number }) {
            chips[index] = chip
        } else {
            chips.append(chip)
        }
    }

    /// Adds a factory-new NTAG 424. The first has the UID and signature of a real one that its
    /// maker published. `nil` if the drawer is full.
    package mutating func addChip(
        elsewhere: Set<[UInt8]> = [], random: (Int) -> [UInt8]
    ) -> NTAG424Memory? {
        guard tags.count + chips.count < Simulation.mostTags else { return nil }
        let known = NTAG424Memory.signedExample
        if chip(known.number) == nil, !elsewhere.contains(known.number) {
            save(known)
            return known
        }
        // 04h is NXP's manufacturer code (ISO/IEC 7816-6), the first byte of its UIDs.
        let number = [0x04] + random(6)
        guard chip(number) == nil, tag(number) == nil, !elsewhere.contains(number),
            let chip = NTAG424Memory(factory: number)
        else { return nil }
        save(chip)
        return chip
    }

    /// Puts tags of the drawer onto the reader and removes the others.
    public mutating func put(_ uids: [[UInt8]]) {
        onReader = uids.filter { tag($0) != nil || chip($0) != nil }
        lastOnReader = onReader.last ?? lastOnReader
    }

    /// Removes all tags from the reader.
    public mutating func take() { onReader = [] }

    /// Removes one tag from the reader.
    public mutating func take(_ uid: [UInt8]) { onReader.removeAll { $0 == uid } }

    /// Puts one tag of the drawer next to those on the reader.
    public mutating func add(_ uid: [UInt8]) { put(onReader.filter { $0 != uid } + [uid]) }

    /// Takes a tag out of the drawer, for example to move it to another; `nil` if it is not there.
    public mutating func remove(_ uid: [UInt8]) -> TagMemory? {
        guard let index = tags.firstIndex(where: { $0.uid == uid }) else { return nil }
        take(uid)
        if lastOnReader == uid { lastOnReader = nil }
        return tags.remove(at: index)
    }

    /// Takes an NTAG 424 out of the drawer, for example to move it to another; `nil` if it is not
    /// there.
    package mutating func removeChip(_ uid: [UInt8]) -> NTAG424Memory? {
        guard let index = chips.firstIndex(where: { $0.number == uid }) else { return nil }
        take(uid)
        if lastOnReader == uid { lastOnReader = nil }
        return chips.remove(at: index)
    }

    /// Adds a factory-new tag. The first of a model gets the UID and true signature of a real chip,
    /// if publicly known; the others are not signed. `nil` if the drawer is full. The UID is none
    /// of those in drawers `elsewhere`.
    public mutating func addTag(
        _ chip: Type2Chip, elsewhere: Set<[UInt8]> = [], random: (Int) -> [UInt8]
    ) -> TagMemory? {
        guard tags.count + chips.count < Simulation.mostTags else { return nil }
        if let known = chip.signedExample, tag(known.uid) == nil, !elsewhere.contains(known.uid),
            let tag = TagMemory.blank(chip, uid: known.uid, signature: known.signature)
        {
            save(tag)
            return tag
        }
        // The numbers of NXP begin with 04h.
        let uid = [0x04] + random(6)
        guard tag(uid) == nil, !elsewhere.contains(uid),
            let tag = TagMemory.blank(chip, uid: uid)
        else { return nil }
        save(tag)
        return tag
    }
}
