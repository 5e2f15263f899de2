import SimulatedReader
import Tags

extension FuzzTarget {
    static let dumps =
        TagDump.Format.allCases.map { format in
            FuzzTarget("dump-\(format.rawValue)") { try checkDump($0, of: format) }
        } + [FuzzTarget("simulation", checkSimulation)]
}

private func checkDump(_ input: [UInt8], of format: TagDump.Format) throws {
    let found: (dump: TagDump, format: TagDump.Format)
    do {
        found = try TagDump.reading(input)
    } catch {
        try require(!error.detail.isEmpty, "a refusal without a word")
        try require(error.detail.utf8.count < 1_000, "a refusal that is too long to be read")
        return
    }
    let dump = found.dump
    if found.format == .raw, let memory = try? dump.memory() {
        let whole = TagDump(memory: memory, withSecrets: false)
        try require(whole.pages == dump.pages, "raw bytes are read as another tag")
    }
    guard found.format == format else { return }
    try require(dump.pages.count == dump.chip.pageCount, "pages for another chip")
    let own = try dump.written(as: format)
    let again = try TagDump.reading(Array(own.utf8))
    try require(again.dump == dump && again.format == format, "a dump is read as another one")
    try require(try TagDump(parsing: dump.text) == dump, "not all of it goes through text")
    for other in TagDump.Format.allCases where other != format {
        guard let text = try? dump.written(as: other) else { continue }
        let translated = try TagDump.reading(Array(text.utf8)).dump
        try require(translated.pages == dump.pages, "\(other) loses pages")
        try require(
            (try? translated.memory()) == (try? dump.memory())
                || (try? dump.memory()) == nil, "\(other) makes another tag")
    }
    guard let memory = try? dump.memory() else { return }
    let whole = TagDump(memory: memory, withSecrets: true)
    try require(try TagDump(parsing: whole.text).memory() == memory, "a tag forgets")
}

private func checkSimulation(_ input: [UInt8]) throws {
    let text = String(decoding: input, as: UTF8.self)
    guard let simulation = try? Simulation(parsing: text) else { return }
    try require(simulation.tags.count <= Simulation.maximumTags, "too many tags")
    try require(
        simulation.onReader.allSatisfy { simulation.tag($0) != nil }, "an unknown tag on the reader"
    )
    try require(
        try Simulation(parsing: simulation.text) == simulation, "a world is read as another one")
}
