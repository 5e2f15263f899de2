public import Type2Tag

/// The world of a simulated reader: a drawer of tags, the tags on the reader, and the next fault.
public struct Simulation: Hashable, Sendable {
    /// The most tags in a drawer: enough for experiments, and a file with this many is still read
    /// at once.
    public static let mostTags = 64

    /// The tags of the drawer.
    public private(set) var tags: [TagMemory]
    /// The numbers of the tags on the reader.
    public private(set) var onReader: [[UInt8]]
    /// The tag that was on the reader last, for "put it back".
    public private(set) var lastOnReader: [UInt8]?
    /// The fault that is to happen; nil for none.
    public var fault: Fault?

    /// Creates a drawer with tags, some of them on the reader.
    public init(_ tags: [TagMemory] = [], onReader: [[UInt8]] = []) {
        self.tags = tags
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

    /// The tag with this number; nil where the drawer lacks it.
    public func tag(_ uid: [UInt8]) -> TagMemory? { tags.first { $0.uid == uid } }

    /// Replaces a tag of the drawer, or adds it.
    public mutating func save(_ tag: TagMemory) {
        if let index = tags.firstIndex(where: { $0.uid == tag.uid }) {
            tags[index] = tag
        } else {
            tags.append(tag)
        }
    }

    /// Puts tags of the drawer onto the reader and removes the others.
    public mutating func put(_ uids: [[UInt8]]) {
        onReader = uids.filter { uid in tags.contains { $0.uid == uid } }
        lastOnReader = onReader.last ?? lastOnReader
    }

    /// Removes all tags from the reader.
    public mutating func take() { onReader = [] }

    /// Removes one tag from the reader.
    public mutating func take(_ uid: [UInt8]) { onReader.removeAll { $0 == uid } }

    /// Puts one tag of the drawer next to those on the reader.
    public mutating func add(_ uid: [UInt8]) { put(onReader.filter { $0 != uid } + [uid]) }

    /// Takes a tag out of the drawer, as for another one. Nil if it is not there.
    public mutating func remove(_ uid: [UInt8]) -> TagMemory? {
        guard let index = tags.firstIndex(where: { $0.uid == uid }) else { return nil }
        take(uid)
        if lastOnReader == uid { lastOnReader = nil }
        return tags.remove(at: index)
    }

    /// Adds a tag from the factory. The first of a model gets the number and the true signature of
    /// a real chip, if one is publicly known; the others are not signed. Nil if the drawer is full.
    /// No number is one of those that drawers elsewhere have.
    public mutating func addTag(
        _ chip: Type2Chip, elsewhere: Set<[UInt8]> = [], random: (Int) -> [UInt8]
    ) -> TagMemory? {
        guard tags.count < Simulation.mostTags else { return nil }
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
