import CardCryptography
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs

/// A simulated reader's tags, for the command line.
struct SimulationDrawer: SimulatedTags {
    func put(
        _ which: [String], _ reader: String, nextTo others: [String]
    ) throws(TapcardError) -> [SimulatedTag] {
        var hasMoved = false
        do throws(TapcardError) {
            for word in which {
                let isMoved = try fetch(word, to: reader, from: others)
                hasMoved = hasMoved || isMoved
            }
            return try place(which, reader, nextTo: others)
        } catch {
            guard hasMoved else { throw error }
            throw TapcardError(
                error.kind, error.what,
                meaning: "Tags listed before it may already have been moved.", next: error.next)
        }
    }

    private func place(
        _ which: [String], _ reader: String, nextTo others: [String]
    ) throws(TapcardError) -> [SimulatedTag] {
        // A new tag must not get the same UID as a tag at another till.
        let elsewhere = Set(
            simulations(of: others).flatMap { $0.tags.map(\.uid) + $0.chips.map(\.number) })
        return try change(reader) { world throws(TapcardError) in
            if which.isEmpty {
                guard let last = world.tags.last?.uid ?? world.chips.last?.number else {
                    throw refusal(
                        "There is no simulated tag yet.",
                        "Specify a chip to create one, such as NTAG213.")
                }
                // If no tag has been on the reader yet, the newest tag is used.
                world.put([world.lastOnReader ?? last])
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
            // The command may have added the leading word, so the error leaves it out.
            let words = fault.hasPrefix("write ") ? String(fault.dropFirst(6)) : fault
            throw refusal(
                "\(words.debugDescription) is not a fault that the simulated reader knows.",
                "To list the faults, run: tapcard sim tear --help")
        }
        try change(reader) { world in world.fault = parsed }
    }

    func list(
        _ reader: String, nextTo others: [String]
    ) throws(TapcardError) -> (tags: [SimulatedTag], fault: String?) {
        let otherSimulations = simulations(of: others)
        return try change(reader) { world in
            let elsewhere = Simulation(
                otherSimulations.flatMap(\.tags).filter { world.tag($0.uid) == nil },
                chips: otherSimulations.flatMap(\.chips).filter { world.chip($0.number) == nil })
            return (listing(world) + listing(elsewhere), world.fault?.description)
        }
    }

    func showToPhone(
        _ uid: String?, _ reader: String
    ) throws(TapcardError) -> SeenByPhone {
        try change(reader) { world throws(TapcardError) in
            let uid = try tagForPhone(uid, in: world)
            guard let tag = listing(world).first(where: { $0.uid == Hexadecimal.encode(uid) }),
                let seen = world.showToPhone(uid, random: RandomBytes.make)
            else { throw noTag(Hexadecimal.encode(uid)) }
            switch seen {
            case .area(let area): return SeenByPhone(tag: tag, content: .area(area), reads: nil)
            case .message(let message?, let reads):
                return SeenByPhone(tag: tag, content: .message(message), reads: reads)
            case .message(nil, _):
                throw refusal(
                    "Phones cannot read this chip, because reading it needs a key.",
                    "To read it here, run: tapcard tag info")
            }
        }
    }

    /// The tag that the phone reads: the specified tag, the only tag on the reader, or the last tag
    /// that was there.
    private func tagForPhone(
        _ uid: String?, in world: Simulation
    ) throws(TapcardError) -> [UInt8] {
        if let uid {
            guard let bytes = Hexadecimal.decode(uid) else { throw noTag(uid) }
            return bytes
        }
        guard world.onReader.count < 2 else {
            throw refusal(
                "There is more than one tag on the reader.",
                "Specify one of them; to list them, run: tapcard sim list")
        }
        guard let only = world.onReader.first ?? world.lastOnReader else {
            throw refusal(
                "There is no tag on the reader.",
                "Specify a tag, or put one on the reader: tapcard sim put")
        }
        return only
    }

    private func noTag(_ word: String) -> TapcardError {
        refusal(
            "There is no simulated tag \(word.debugDescription).",
            "Specify a chip (\(Chip.choice)) to create a tag, or list the existing ones: tapcard "
                + "sim list")
    }

    /// The simulations of other readers. An unreadable file is skipped, because its own reader
    /// reports the error.
    private func simulations(of files: [String]) -> [Simulation] {
        files.compactMap { path in
            do { return try SimulationFile(path: path).read() } catch { return nil }
        }
    }

    /// Moves a tag from another till's reader to this reader, unless this reader already has it.
    /// Returns whether the tag was moved.
    private func fetch(
        _ word: String, to reader: String, from others: [String]
    ) throws(TapcardError) -> Bool {
        // If this reader already has the tag, or has no room for it, the tag stays where it is.
        guard let uid = Hexadecimal.decode(word), let own = simulations(of: [reader]).first,
            own.tag(uid) == nil, own.chip(uid) == nil,
            own.tags.count + own.chips.count < Simulation.maximumTags
        else { return false }
        for path in others where simulations(of: [path]).contains(where: { $0.chip(uid) != nil }) {
            // The tag is removed from the other reader first, because a tag must never be on two
            // readers.
            let chip = try change(path) { world in world.removeChip(uid) }
            if let chip {
                try change(reader) { world in world.save(chip) }
                return true
            }
        }
        for path in others where simulations(of: [path]).contains(where: { $0.tag(uid) != nil }) {
            let tag = try change(path) { world in world.remove(uid) }
            if let tag {
                try change(reader) { world in world.save(tag) }
                return true
            }
        }
        return false
    }

    /// Applies a change. If the change is refused, the simulation stays the same.
    private func change<Success>(
        _ reader: String, _ body: (inout Simulation) throws(TapcardError) -> Success
    ) throws(TapcardError) -> Success {
        // `SimulationFile` throws errors of a different type, so the closure returns a refusal as a
        // `Result`.
        let result: Result<Success, TapcardError> = try translating(
            SimulationFile(path: reader).change { world in
                var changed = world
                do throws(TapcardError) {
                    let success = try body(&changed)
                    world = changed
                    return .success(success)
                } catch {
                    return .failure(error)
                }
            }, into: TapcardError.init(ofSimulation:))
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
                    "There are already \(Simulation.maximumTags) simulated tags, the maximum.",
                    "Put an existing tag on the reader.")
            }
            return tag.uid
        }
        if Simulation.isChip(typed: word) {
            guard let chip = world.addChip(elsewhere: elsewhere, random: RandomBytes.make) else {
                throw refusal(
                    "There are already \(Simulation.maximumTags) simulated tags, the maximum.",
                    "Put an existing tag on the reader.")
            }
            return chip.number
        }
        guard let uid = Hexadecimal.decode(word), world.tag(uid) != nil || world.chip(uid) != nil
        else {
            throw noTag(word)
        }
        return uid
    }

    private func refusal(_ what: String, _ advice: String) -> TapcardError {
        TapcardError(.usage, what, meaning: "Nothing was changed.", advice: advice)
    }

    private func listing(_ world: Simulation) -> [SimulatedTag] {
        let all =
            world.tags.map { ($0.uid, $0.chip.name) }
            + world.chips.map { ($0.number, Chip.ntag424.name) }
        return all.map { uid, name in
            SimulatedTag(
                uid: Hexadecimal.encode(uid), chip: name,
                isOnReader: world.onReader.contains(uid))
        }
    }
}
