import CardCryptography
import SimulatedReader
import TagReading
import TapcardCommands
import TextCodecs
import Type2Tag

/// Lets the command line reach into a simulated reader's drawer.
struct SimulationDrawer: SimulatedTags {
    func put(_ which: [String], _ reader: String) throws(ReaderError) -> [SimulatedTag] {
        try SimulationFile(path: reader).change { world throws(ReaderError) in
            if which.isEmpty {
                guard let last = world.tags.last else {
                    throw ReaderError(.noTag, "the drawer is empty; name a chip")
                }
                let lastOnReader = world.lastOnReader.flatMap { world.tag($0) } ?? last
                world.put([lastOnReader.uid])
            } else {
                var uids: [[UInt8]] = []
                for word in which { uids.append(try uid(of: word, &world)) }
                world.put(uids)
            }
            return listing(world).filter(\.isOnReader)
        }
    }

    func take(_ reader: String) throws(ReaderError) {
        try SimulationFile(path: reader).change { world in world.take() }
    }

    func tear(_ fault: String?, _ reader: String) throws(ReaderError) {
        let parsed = fault.flatMap(Fault.init)
        if let fault, parsed == nil {
            throw ReaderError(.noReader, "\"\(fault)\" is no fault; see tapcard sim tear --help")
        }
        try SimulationFile(path: reader).change { world in world.fault = parsed }
    }

    func list(_ reader: String) throws(ReaderError) -> (tags: [SimulatedTag], fault: String?) {
        try SimulationFile(path: reader).change { world in
            (listing(world), world.fault?.description)
        }
    }

    private func uid(of word: String, _ world: inout Simulation) throws(ReaderError) -> [UInt8] {
        if let chip = Type2Chip(named: word.uppercased()) {
            guard let tag = world.addTag(chip, random: RandomBytes.make) else {
                throw ReaderError(.noTag, "the drawer is full")
            }
            return tag.uid
        }
        guard let uid = Hexadecimal.decode(word), world.tag(uid) != nil else {
            throw ReaderError(.noTag, "there is no tag \"\(word)\"; see tapcard sim list")
        }
        return uid
    }

    private func listing(_ world: Simulation) -> [SimulatedTag] {
        world.tags.map {
            SimulatedTag(
                uid: Hexadecimal.encode($0.uid), chip: $0.chip.name,
                isOnReader: world.onReader.contains($0.uid))
        }
    }
}
