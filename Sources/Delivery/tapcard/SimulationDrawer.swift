import CardCryptography
import SimulatedField
import SimulatedReader
import TagReading
import TapcardCore
import TapcardDomain
import TextCodecs
import Type2Tag
import Verbs

/// The tags of a simulated reader, for the command line.
struct SimulationDrawer: SimulatedTags {
    func put(
        _ which: [String], _ reader: String, nextTo others: [String]
    ) throws(TapcardError) -> [SimulatedTag] {
        for word in which { try fetch(word, to: reader, from: others) }
        let elsewhere = Set(worlds(of: others).flatMap { $0.tags.map(\.uid) })
        return try change(reader) { world throws(TapcardError) in
            if which.isEmpty {
                guard let last = world.tags.last else {
                    throw refusal(
                        "There is no simulated tag yet.", "Name a chip, such as NTAG213.")
                }
                let lastOnReader = world.lastOnReader.flatMap { world.tag($0) } ?? last
                world.put([lastOnReader.uid])
            } else {
                var uids: [[UInt8]] = []
                for word in which { uids.append(try uid(of: word, &world, elsewhere)) }
                world.put(uids)
            }
            return listing(world).filter(\.isOnReader)
        }
    }

    func take(_ reader: String) throws(TapcardError) {
        try change(reader) { world in world.take() }
    }

    func tear(_ fault: String?, _ reader: String) throws(TapcardError) {
        let parsed = fault.flatMap(Fault.init)
        if let fault, parsed == nil {
            // The leading word belongs to the command.
            let words = fault.hasPrefix("write ") ? String(fault.dropFirst(6)) : fault
            throw refusal(
                "\(words.debugDescription) is not a valid fault.",
                "tapcard sim tear --help lists them.")
        }
        try change(reader) { world in world.fault = parsed }
    }

    func list(
        _ reader: String, nextTo others: [String]
    ) throws(TapcardError) -> (tags: [SimulatedTag], fault: String?) {
        let around = worlds(of: others)
        return try change(reader) { world in
            let elsewhere = around.flatMap(\.tags).filter { world.tag($0.uid) == nil }
            return (listing(world) + listing(Simulation(elsewhere)), world.fault?.description)
        }
    }

    /// The simulations that can be read. The reader of another one reports its fault.
    private func worlds(of files: [String]) -> [Simulation] {
        files.compactMap { path in
            do { return try SimulationFile(path: path).read() } catch { return nil }
        }
    }

    /// Moves a tag from a reader next to this one, if it is there and not here.
    private func fetch(
        _ word: String, to reader: String, from others: [String]
    ) throws(TapcardError) {
        guard let uid = Hexadecimal.decode(word), let own = worlds(of: [reader]).first,
            own.tag(uid) == nil, own.tags.count < Simulation.mostTags
        else { return }
        for path in others where worlds(of: [path]).contains(where: { $0.tag(uid) != nil }) {
            let tag = try change(path) { world in world.remove(uid) }
            if let tag { return try change(reader) { world in world.save(tag) } }
        }
    }

    /// Applies a change; a refused change leaves the simulation as it was.
    private func change<Success>(
        _ reader: String, _ body: (inout Simulation) throws(TapcardError) -> Success
    ) throws(TapcardError) -> Success {
        let result: Result<Success, TapcardError>
        do {
            result = try SimulationFile(path: reader).change { world in
                var changed = world
                do throws(TapcardError) {
                    let success = try body(&changed)
                    world = changed
                    return .success(success)
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            throw TapcardError(ofSimulation: error)
        }
        return try result.get()
    }

    private func uid(
        of word: String, _ world: inout Simulation, _ elsewhere: Set<[UInt8]>
    ) throws(TapcardError) -> [UInt8] {
        if let chip = Type2Chip(typed: word) {
            guard
                let tag = world.addTag(chip, elsewhere: elsewhere, random: RandomBytes.make)
            else {
                throw refusal(
                    "There is no room for another simulated tag.",
                    "Put one of those there are: tapcard sim list.")
            }
            return tag.uid
        }
        guard let uid = Hexadecimal.decode(word), world.tag(uid) != nil else {
            throw refusal(
                "There is no simulated tag \(word.debugDescription).",
                "tapcard sim list shows the numbers; \(Chip.choice) makes a new one.")
        }
        return uid
    }

    private func refusal(_ what: String, _ advice: String) -> TapcardError {
        TapcardError(.usage, what, meaning: "Nothing was changed.", advice: advice)
    }

    private func listing(_ world: Simulation) -> [SimulatedTag] {
        world.tags.map {
            SimulatedTag(
                uid: Hexadecimal.encode($0.uid), chip: $0.chip,
                isOnReader: world.onReader.contains($0.uid))
        }
    }
}
