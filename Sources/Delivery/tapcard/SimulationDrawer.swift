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
    func put(_ which: [String], _ reader: String) throws(TapcardError) -> [SimulatedTag] {
        try change(reader) { world throws(TapcardError) in
            if which.isEmpty {
                guard let last = world.tags.last else {
                    throw refusal(
                        "There is no simulated tag yet.", "Name a chip, such as NTAG213.")
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

    func list(_ reader: String) throws(TapcardError) -> (tags: [SimulatedTag], fault: String?) {
        try change(reader) { world in (listing(world), world.fault?.description) }
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

    private func uid(of word: String, _ world: inout Simulation) throws(TapcardError) -> [UInt8] {
        if let chip = Type2Chip(typed: word) {
            guard let tag = world.addTag(chip, random: RandomBytes.make) else {
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
