import TextCodecs
public import Type2Tag

/// The world of a reader that is not there: a drawer of tags, those that lie on the reader, and what is to go
/// wrong next.
public struct Simulation: Hashable, Sendable {
    /// Enough for trying things out; a file of that many is still read at once.
    public static let mostTags = 64

    public private(set) var tags: [TagMemory]
    public private(set) var onReader: [[UInt8]]
    /// The tag that lay there last: what "put it back" means.
    public private(set) var lastOnReader: [UInt8]?
    public var fault: Fault?

    public init(_ tags: [TagMemory] = [], onReader: [[UInt8]] = []) {
        self.tags = tags
        self.onReader = onReader
        lastOnReader = onReader.last
    }

    /// One blank NTAG213 on the reader: what a newcomer begins with.
    public static var fresh: Simulation {
        var simulation = Simulation()
        if let tag = simulation.addTag(.ntag213, random: { [UInt8](repeating: 0, count: $0) }) {
            simulation.put([tag.uid])
        }
        return simulation
    }

    public func tag(_ uid: [UInt8]) -> TagMemory? { tags.first { $0.uid == uid } }

    /// Changes a tag of the drawer, or adds it.
    public mutating func save(_ tag: TagMemory) {
        if let index = tags.firstIndex(where: { $0.uid == tag.uid }) {
            tags[index] = tag
        } else {
            tags.append(tag)
        }
    }

    /// Puts tags of the drawer onto the reader, instead of those that lie there.
    public mutating func put(_ uids: [[UInt8]]) {
        onReader = uids.filter { uid in tags.contains { $0.uid == uid } }
        lastOnReader = onReader.last ?? lastOnReader
    }

    /// Takes everything off the reader.
    public mutating func take() { onReader = [] }

    /// Takes one tag off the reader.
    public mutating func take(_ uid: [UInt8]) { onReader.removeAll { $0 == uid } }

    /// Lays one tag of the drawer beside those that lie there.
    public mutating func add(_ uid: [UInt8]) { put(onReader.filter { $0 != uid } + [uid]) }

    /// A tag from the factory. The first of a make gets the number and the maker's true signature
    /// of a real chip, if one is known publicly; the others are not signed. Nil if the drawer is
    /// full.
    public mutating func addTag(
        _ chip: Type2Chip, random: (Int) -> [UInt8]
    ) -> TagMemory? {
        guard tags.count < Simulation.mostTags else { return nil }
        if let known = Simulation.signedExamples[chip.name], tag(known.uid) == nil,
            let tag = TagMemory.blank(chip, uid: known.uid, signature: known.signature)
        {
            save(tag)
            return tag
        }
        // NXP's numbers begin with 04h.
        let uid = [0x04] + random(6)
        guard tag(uid) == nil, let tag = TagMemory.blank(chip, uid: uid) else { return nil }
        save(tag)
        return tag
    }

    private static let signedExamples: [String: (uid: [UInt8], signature: [UInt8])] = [
        "NTAG213": (
            Hexadecimal.decode("04AC6B72BA6C80") ?? [],
            Hexadecimal.decode(
                "2DAEBCAF84B88587C2FBFE76135886728E1D3CB5DA242344E5634D4C82FBD718") ?? []
        ),
        "NTAG216": (
            Hexadecimal.decode("04D9650A325E80") ?? [],
            Hexadecimal.decode(
                "482AF2010FF2F5A79AD5796ECB14544898D1575D8A23A9B0E820023ECDC816DB") ?? []
        ),
    ]
}
