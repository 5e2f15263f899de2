/// What a service allows to be done with its answer, by the directives of Cache-Control that
/// concern a cache of one user. Unknown ones are passed over, doubtful ones are taken strictly.
package struct CachePolicy: Hashable, Sendable {
    /// It must not be kept at all.
    package private(set) var isForbidden = false
    /// It must not be used without asking each time.
    package private(set) var mustAsk = false
    /// Once it is out of date it must not be used without asking, not even offline.
    package private(set) var mustRevalidate = false
    /// For how many seconds it may be used; nil where nothing says so.
    package private(set) var maxAge: Int?

    /// A longer time is as good as this one.
    private static let longestAge = 315_360_000

    package init(_ head: HTTPHead) {
        for line in head[all: "cache-control"] { take(line) }
        // It depends on something that is not in the request: no other request is like it.
        if head[all: "vary"].contains(where: { $0.contains("*") }) { isForbidden = true }
    }

    private mutating func take(_ line: String) {
        guard let directives = CachePolicy.directives(line) else {
            // Anything may stand behind a quotation mark that is never closed.
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

    /// A number that is none means that it is out of date.
    static func seconds(_ text: String) -> Int {
        let digits = text.filter { $0 != "\"" }
        guard !digits.isEmpty,
            digits.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        else { return 0 }
        return min(Int(digits) ?? longestAge, longestAge)
    }

    /// Between the commas that stand outside quotation marks; nil where one is not closed.
    private static func directives(_ line: String) -> [String]? {
        var found: [String] = [""]
        var isQuoted = false
        // A backslash makes a quotation mark one of the text.
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
