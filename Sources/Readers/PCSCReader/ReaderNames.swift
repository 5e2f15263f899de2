package import Tags

/// Finds the reader that the user specified.
package enum ReaderNames {
    /// Returns the slot with this name, or all slots of the only reader whose name contains it,
    /// ignoring case. If there are several slots, the reader uses the one that holds the card.
    package static func choose(
        _ requested: String, among names: [String]
    ) throws(ReaderError) -> [String] {
        // Complete names are compared first, because a complete name may also be part of another
        // reader's name.
        if names.contains(requested) { return [requested] }
        let known = names.isEmpty ? "pcscd lists no reader" : "pcscd lists \(list(names))"
        guard !requested.isEmpty else {
            throw ReaderError(.noReader, "no reader name was specified; \(known)")
        }
        let matches = names.filter { $0.lowercased().contains(requested.lowercased()) }
        guard !matches.isEmpty else {
            throw ReaderError(
                .noReader, "no reader has a name containing “\(requested)”; \(known)")
        }
        guard belongToOneReader(matches) else {
            throw ReaderError(
                .noReader,
                "the name “\(requested)” matches more than one reader: \(list(matches))")
        }
        return matches
    }

    /// Whether these are slots of the same reader. pcscd's names have the form "NAME [INTERFACE]
    /// READER SLOT": slots differ in the last number, and each interface of a reader has its own
    /// name.
    private static func belongToOneReader(_ names: [String]) -> Bool {
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
