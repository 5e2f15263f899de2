public import Tags

/// The state of a simulation: a drawer of tags, the tags on the reader, and the next fault.
public struct Simulation: Hashable, Sendable {
    /// The maximum number of tags in a drawer. It is enough for experiments and keeps the file
    /// small enough to be read quickly.
    public static let maximumTags = 250

    /// The name of the NTAG 424.
    package static let chipName = "NTAG424"

    /// Whether the text that a user typed names the NTAG 424. "424" is also accepted.
    package static func isChip(typed text: String) -> Bool {
        text.uppercased() == chipName || text == String(chipName.suffix(3))
    }

    /// The tags in the drawer.
    public private(set) var tags: [TagMemory]
    /// The NTAG 424 cards in the drawer, which can prove that they are genuine.
    package private(set) var chips: [NTAG424Memory]
    /// The UIDs of the tags on the reader.
    public private(set) var onReader: [[UInt8]]
    /// The tag that was last on the reader. It is put back if no tag is specified.
    public private(set) var lastOnReader: [UInt8]?
    /// The next fault; `nil` if there is none.
    public var fault: Fault?

    /// Creates a drawer with these tags, some of which may be on the reader.
    public init(_ tags: [TagMemory] = [], onReader: [[UInt8]] = []) {
        self.init(tags, chips: [], onReader: onReader)
    }

    package init(_ tags: [TagMemory] = [], chips: [NTAG424Memory], onReader: [[UInt8]] = []) {
        self.tags = tags
        self.chips = chips
        self.onReader = onReader
        lastOnReader = onReader.last
    }

    /// A simulation for a new user: one blank NTAG213 on the reader.
    public static var fresh: Simulation {
        var simulation = Simulation()
        if let tag = simulation.addTag(.ntag213, random: { [UInt8](repeating: 0, count: $0) }) {
            simulation.put([tag.uid])
        }
        return simulation
    }

    /// The tags and chips, with everything that they store without power, but not where they are.
    package var contents: Simulation { Simulation(tags, chips: chips) }

    /// The tag with this UID; `nil` if it is not in the drawer.
    public func tag(_ uid: [UInt8]) -> TagMemory? { tags.first { $0.uid == uid } }

    /// Replaces a tag in the drawer, or adds it.
    public mutating func save(_ tag: TagMemory) {
        if let index = tags.firstIndex(where: { $0.uid == tag.uid }) {
            tags[index] = tag
        } else {
            tags.append(tag)
        }
    }

    /// The NTAG 424 with this UID.
    package func chip(_ uid: [UInt8]) -> NTAG424Memory? { chips.first { $0.number == uid } }

    /// Replaces an NTAG 424 in the drawer, or adds it.
    package mutating func save(_ chip: NTAG424Memory) {
        if let index = chips.firstIndex(where: { $0.number == chip.number }) {
            chips[index] = chip
        } else {
            chips.append(chip)
        }
    }

    /// Adds a factory-fresh NTAG 424; returns `nil` if the drawer is full. The first one gets the
    /// UID and signature of a real chip, as published by its manufacturer. The UIDs in `elsewhere`,
    /// which are used in other drawers, are not used again.
    package mutating func addChip(
        elsewhere: Set<[UInt8]> = [], random: (Int) -> [UInt8]
    ) -> NTAG424Memory? {
        guard tags.count + chips.count < Simulation.maximumTags else { return nil }
        let known = NTAG424Memory.signedExample
        if chip(known.number) == nil, !elsewhere.contains(known.number) {
            save(known)
            return known
        }
        // NXP's UIDs begin with its manufacturer code, 04h (ISO/IEC 7816-6).
        let number = [0x04] + random(6)
        guard chip(number) == nil, tag(number) == nil, !elsewhere.contains(number),
            let chip = NTAG424Memory(factory: number)
        else { return nil }
        save(chip)
        return chip
    }

    /// Puts tags from the drawer on the reader and removes the others.
    public mutating func put(_ uids: [[UInt8]]) {
        onReader = uids.filter { tag($0) != nil || chip($0) != nil }
        // Emptying the reader does not change which tag was there last.
        lastOnReader = onReader.last ?? lastOnReader
    }

    /// Removes all tags from the reader.
    public mutating func take() { onReader = [] }

    /// Removes one tag from the reader.
    public mutating func take(_ uid: [UInt8]) { onReader.removeAll { $0 == uid } }

    /// Puts one tag from the drawer on the reader, next to those already there.
    public mutating func add(_ uid: [UInt8]) { put(onReader.filter { $0 != uid } + [uid]) }

    /// Removes a tag from the drawer, for example to move it to another one; `nil` if the tag is
    /// not there.
    public mutating func remove(_ uid: [UInt8]) -> TagMemory? {
        guard let index = tags.firstIndex(where: { $0.uid == uid }) else { return nil }
        take(uid)
        // A tag that is no longer in the drawer cannot be put back.
        if lastOnReader == uid { lastOnReader = nil }
        return tags.remove(at: index)
    }

    /// Removes an NTAG 424 from the drawer, for example to move it to another one; `nil` if it is
    /// not there.
    package mutating func removeChip(_ uid: [UInt8]) -> NTAG424Memory? {
        guard let index = chips.firstIndex(where: { $0.number == uid }) else { return nil }
        take(uid)
        if lastOnReader == uid { lastOnReader = nil }
        return chips.remove(at: index)
    }

    /// Adds a factory-fresh tag; returns `nil` if the drawer is full. The first tag of a model gets
    /// the UID and signature of a real chip, if any are publicly known; the others are not signed.
    /// The UIDs in `elsewhere`, which are used in other drawers, are not used again.
    public mutating func addTag(
        _ chip: Type2Chip, elsewhere: Set<[UInt8]> = [], random: (Int) -> [UInt8]
    ) -> TagMemory? {
        guard tags.count + chips.count < Simulation.maximumTags else { return nil }
        if let known = chip.signedExample, tag(known.uid) == nil, !elsewhere.contains(known.uid),
            let tag = TagMemory.blank(chip, uid: known.uid, signature: known.signature)
        {
            save(tag)
            return tag
        }
        // NXP's UIDs begin with 04h.
        let uid = [0x04] + random(6)
        guard tag(uid) == nil, !elsewhere.contains(uid),
            let tag = TagMemory.blank(chip, uid: uid)
        else { return nil }
        save(tag)
        return tag
    }
}
