/// A version: numbers separated by dots, compared number by number. 6.1 equals 6.1.0 and comes
/// before 6.2, which comes before 6.10.
package struct Version: Comparable, Hashable, Sendable, CustomStringConvertible {
    /// The digits of each number, without leading zeros. They are stored as text, so that no number
    /// is too large to compare. Trailing numbers that are 0 are dropped.
    private let numbers: [String]
    package let description: String

    /// The maximum length of the text, in bytes.
    private static let maximumTextBytes = 64

    /// Parses a version; `nil` if it is too long or is not numbers separated by single dots.
    package init?(_ text: String) {
        guard text.utf8.count <= Version.maximumTextBytes else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard
            parts.allSatisfy({ part in
                !part.isEmpty
                    && part.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
            })
        else { return nil }
        var numbers = parts.map { part in
            String(decoding: part.drop { $0 == UInt8(ascii: "0") }, as: UTF8.self)
        }
        // A number that was 0 has no digits left.
        while numbers.last == "" { numbers.removeLast() }
        self.numbers = numbers
        description = text
    }

    package static func == (left: Self, right: Self) -> Bool { left.numbers == right.numbers }
    package func hash(into hasher: inout Hasher) { hasher.combine(numbers) }

    package static func < (left: Self, right: Self) -> Bool {
        for (ours, theirs) in zip(left.numbers, right.numbers) where ours != theirs {
            let (length, other) = (ours.utf8.count, theirs.utf8.count)
            // Without leading zeros, the number with more digits is larger.
            return length == other ? ours < theirs : length < other
        }
        return left.numbers.count < right.numbers.count
    }
}
