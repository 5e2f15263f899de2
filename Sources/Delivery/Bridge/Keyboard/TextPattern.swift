import Glibc

/// An extended regular expression, as in `grep -E`, that must match an entire text.
///
/// Anyone may have written the texts on tags. glibc matches without backtracking, so no text can
/// make a match slow. Only back-references would need backtracking, so they are rejected.
package struct TextPattern: Sendable {
    private let pattern: String

    /// Returns nil if the pattern is invalid or contains a back-reference.
    package init?(_ pattern: String) {
        self.pattern = pattern
        let hasReference = zip(pattern.utf8, pattern.utf8.dropFirst()).contains { first, second in
            first == UInt8(ascii: "\\") && (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(second)
        }
        guard !hasReference, !pattern.utf8.contains(0), unsafe compiled({ _ in true }) else {
            return nil
        }
    }

    /// Whether the pattern matches the whole text, which must not contain NUL.
    package func matches(_ text: String) -> Bool {
        unsafe compiled { expression in
            var match = regmatch_t()
            // POSIX returns the leftmost, longest match, which is the whole text if the pattern
            // allows it.
            return unsafe regexec(&expression, text, 1, &match, 0) == 0
                && match.rm_so == 0 && Int(match.rm_eo) == text.utf8.count
        }
    }

    /// Calls `body` with the compiled pattern, or returns false if the pattern is invalid. Compiles
    /// it each time, because glibc caches state for each text in the compiled pattern and never
    /// frees it.
    private func compiled(_ body: (inout regex_t) -> Bool) -> Bool {
        var expression = unsafe regex_t()
        guard unsafe regcomp(&expression, pattern, REG_EXTENDED) == 0 else { return false }
        defer { unsafe regfree(&expression) }
        return unsafe body(&expression)
    }
}
