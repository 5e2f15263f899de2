package import TagReading

/// Finds the reader that the user means among the available ones.
package enum ReaderNames {
    /// The reader with this name, or the only reader whose name contains it, ignoring case.
    package static func choose(
        _ wanted: String, among names: [String]
    ) throws(ReaderError) -> String {
        if names.contains(wanted) { return wanted }
        let known = names.isEmpty ? "pcscd sees no reader" : "pcscd sees \(list(names))"
        guard !wanted.isEmpty else {
            throw ReaderError(.noReader, "no name was given; \(known)")
        }
        let fitting = names.filter { $0.lowercased().contains(wanted.lowercased()) }
        guard let only = fitting.first else {
            throw ReaderError(.noReader, "none is called “\(wanted)”; \(known)")
        }
        guard fitting.count == 1 else {
            throw ReaderError(.noReader, "“\(wanted)” can be \(list(fitting))")
        }
        return only
    }

    private static func list(_ names: [String]) -> String {
        names.map { "“\($0)”" }.joined(separator: ", ")
    }
}
