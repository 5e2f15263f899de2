/// The candidate that was probably meant: it differs from the word by at most two added or removed
/// letters, or it begins with the word.
package func nearestWord(to word: String, among candidates: [String]) -> String? {
    // Only words of similar length are compared, because a command line can be megabytes long.
    candidates.filter { abs($0.count - word.count) <= 2 }
        // A wrong letter costs two edits, a removal and an insertion.
        .map { (candidate: $0, changes: $0.difference(from: word).count) }
        .filter { $0.changes <= 2 && $0.changes < word.count }
        .min { $0.changes < $1.changes }?.candidate
        ?? candidates.first { !word.isEmpty && $0.hasPrefix(word) }
}
