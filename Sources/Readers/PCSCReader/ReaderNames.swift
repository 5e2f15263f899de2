package import Tags

/// Finds the reader that the user means.
package enum ReaderNames {
    /// The slot with this name, or all slots of the only reader whose name contains it, ignoring
    /// case. The slot that has the card is used.
    package static func choose(
        _ wanted: String, among names: [String]
    ) throws(ReaderError) -> [String] {
        // A complete name first: it may be part of another reader's name.
        if names.contains(wanted) { return [wanted] }
        let known = names.isEmpty ? "pcscd lists no reader" : "pcscd lists \(list(names))"
        guard !wanted.isEmpty else {
            throw ReaderError(.noReader, "no reader name was given; \(known)")
        }
        let fitting = names.filter { $0.lowercased().contains(wanted.lowercased()) }
        guard !fitting.isEmpty else {
            throw ReaderError(
                .noReader, "no reader has a name containing “\(wanted)”; \(known)")
        }
        guard areOfOneReader(fitting) else {
            throw ReaderError(
                .noReader,
                "the name “\(wanted)” matches more than one reader: \(list(fitting))")
        }
        return fitting
    }

    /// Whether these are slots of the same reader. pcscd writes "NAME [INTERFACE] READER SLOT":
    /// slots differ in their last number, and each interface of a reader has its own name.
    private static func areOfOneReader(_ names: [String]) -> Bool {
        guard names.count > 1 else { return true }
        let readers = names.map { $0.split(separator: " ").dropLast().joined(separator: " ") }
        let slots = names.compactMap { name in
            name.split(separator: " ").last.flatMap { UInt8($0, radix: 16) }
        }
        if Set(readers).count == 1, Set(slots).count == names.count { return true }
        let parts = names.map { $0.split(separator: "[", maxSplits: 1) }
        guard parts.allSatisfy({ $0.count == 2 }), Set(parts.map { $0[0] }).count == 1 else {
            return false
        }
        return Set(parts.map { $0[1].prefix { $0 != "]" } }).count == names.count
    }

    private static func list(_ names: [String]) -> String {
        names.map { "“\($0)”" }.joined(separator: ", ")
    }
}
