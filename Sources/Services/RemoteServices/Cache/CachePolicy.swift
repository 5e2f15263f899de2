/// The permissions for a cached answer, from the directives of Cache-Control that concern a cache
/// of one user. Unknown directives are ignored, doubtful ones are taken strictly.
package struct CachePolicy: Hashable, Sendable {
    /// Whether the answer must not be stored.
    package private(set) var isForbidden = false
    /// Whether each use needs a request to the service.
    package private(set) var mustAsk = false
    /// Whether an outdated answer must not be used without a request, even offline.
    package private(set) var mustRevalidate = false
    /// The seconds for which the answer may be used, if stated.
    package private(set) var maxAge: Int?

    /// The longest age; longer ones are cut to it.
    private static let longestAge = 315_360_000

    package init(_ head: HTTPHead) {
        for line in head[all: "cache-control"] { take(line) }
        // The answer depends on more than the request, so it fits no other request.
        if head[all: "vary"].contains(where: { $0.contains("*") }) { isForbidden = true }
    }

    private mutating func take(_ line: String) {
        guard let directives = CachePolicy.directives(line) else {
            // The text after an unclosed quotation mark is ambiguous.
            isForbidden = true
            return
        }
        for directive in directives {
            let parts = directive.split(separator: "=", maxSplits: 1).map(CachePolicy.trimmed)
            switch parts.first?.lowercased() {
            case "no-store": isForbidden = true
            case "no-cache": mustAsk = true
            case "must-revalidate": mustRevalidate = true
            case "max-age":
                let age = parts.count == 2 ? CachePolicy.seconds(parts[1]) : 0
                maxAge = min(maxAge ?? age, age)
            default: break
            }
        }
    }

    /// The number of seconds. An invalid number counts as out of date.
    static func seconds(_ text: String) -> Int {
        let digits = text.filter { $0 != "\"" }
        guard !digits.isEmpty,
            digits.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        else { return 0 }
        return min(Int(digits) ?? longestAge, longestAge)
    }

    /// The directives between commas outside quotation marks. Nil if a quotation mark is not
    /// closed.
    private static func directives(_ line: String) -> [String]? {
        var found: [String] = [""]
        var isQuoted = false
        // A backslash makes the next quotation mark part of the text.
        var isEscaped = false
        for character in line {
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && !isEscaped && character == "\\"
            if character == ",", !isQuoted {
                found.append("")
            } else {
                found[found.count - 1].append(character)
            }
        }
        return isQuoted ? nil : found
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.filter { $0 != " " && $0 != "\t" })
    }
}
