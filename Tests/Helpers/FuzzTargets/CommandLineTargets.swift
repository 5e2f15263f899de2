import CardCryptography
import CommandLine
import TextCodecs
import Verbs

extension FuzzTarget {
    static let words = [
        FuzzTarget("command-line", checkCommandLine), FuzzTarget("keys", checkKeys),
    ]
}

/// The words of a command line, one per line of the input.
private func checkCommandLine(_ input: [UInt8]) throws {
    let words = String(decoding: input, as: UTF8.self)
        .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let table = CommandTable.tapcard(Command.table())
    _ = try? table.parse(["help", "--complete"] + words)
    let invocation: Invocation
    do {
        invocation = try table.parse(words)
    } catch {
        try require(!error.detail.isEmpty, "a refusal without a word")
        return
    }
    guard case .run(let verb, let given, _) = invocation else { return }
    try require(words.contains(verb.spec.path.last ?? ""), "a command that nobody named")
    _ = try? ParsedCommand(verb, given: given.mapValues { .texts($0) })
    let flags = (table.globals + verb.spec.options).filter { $0.place == .flag }.map(\.name)
    for (name, texts) in given {
        for text in texts where !(flags.contains(name) && text == "true") {
            try require(
                words.contains { $0 == text || $0.hasSuffix("=\(text)") },
                "\(name) has a value that nobody gave")
        }
    }
}

private func checkKeys(_ input: [UInt8]) throws {
    guard let keys = try? KeyRing(parsing: input) else { return }
    try require(keys.entries.contains(keys.sealing), "the key that seals is none of the ring")
    try require(keys.sealing.status == .active, "the key that seals is not active")
    let text = keys.json().text
    try require(try KeyRing(parsing: Array(text.utf8)) == keys, "keys are read as other ones")
}
