import Glibc

/// A regular expression for whole texts, as `grep -E` has them.
///
/// The texts come from tags that anybody could have written. glibc reads a text once, without
/// backtracking, so no text can take long. References to groups are the exception, so they are
/// refused.
package struct TextPattern: Sendable {
    private let pattern: String

    /// Reads a pattern; nil if it is invalid.
    package init?(_ pattern: String) {
        self.pattern = pattern
        let hasReference = zip(pattern.utf8, pattern.utf8.dropFirst()).contains { first, second in
            first == UInt8(ascii: "\\") && (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(second)
        }
        guard !hasReference, !pattern.utf8.contains(0), unsafe compiled({ _ in true }) else {
            return nil
        }
    }

    /// Whether the pattern matches all of the text, which contains no NUL.
    package func matches(_ text: String) -> Bool {
        unsafe compiled { expression in
            var match = regmatch_t()
            // The match that begins first is found, and of several the longest one: that is the
            // whole text if the pattern allows it.
            return unsafe regexec(&expression, text, 1, &match, 0) == 0
                && match.rm_so == 0 && Int(match.rm_eo) == text.utf8.count
        }
    }

    /// Runs the body with the compiled pattern; false if it is invalid. It is compiled anew each time, because it would
    /// otherwise remember something of each text, without limit.
    private func compiled(_ body: (inout regex_t) -> Bool) -> Bool {
        var expression = unsafe regex_t()
        guard unsafe regcomp(&expression, pattern, REG_EXTENDED) == 0 else { return false }
        defer { unsafe regfree(&expression) }
        return unsafe body(&expression)
    }
}
