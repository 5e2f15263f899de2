package import TapcardDomain
package import TextCodecs

/// What a client that has an answer already says of it, so that it need not be sent again.
package struct HTTPConditions: Hashable, Sendable {
    private let ifNoneMatch: String?
    private let ifModifiedSince: String?

    package init(ifNoneMatch: String? = nil, ifModifiedSince: String? = nil) {
        (self.ifNoneMatch, self.ifModifiedSince) = (ifNoneMatch, ifModifiedSince)
    }

    /// The document with what a cache has to know of it, or 304 for a client that has it.
    package func answer(
        _ document: JSONValue, changed: Timestamp, maxAge: Int
    ) -> SandboxAnswer {
        var answer = SandboxAnswer(document)
        let tag = HTTPConditions.tag(of: document.text)
        answer.headers["ETag"] = tag
        answer.headers["Last-Modified"] = HTTPDate.text(changed)
        answer.headers["Cache-Control"] = "max-age=\(maxAge)"
        guard isMet(tag, changed) else { return answer }
        answer.headers["Content-Type"] = nil
        return SandboxAnswer(304, headers: answer.headers)
    }

    /// The tag counts; where one is named, the time does not.
    private func isMet(_ tag: String, _ changed: Timestamp) -> Bool {
        if let ifNoneMatch {
            return ifNoneMatch.split(separator: ",").contains { word in
                let name = word.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
                let text = String(name)
                return text == "*"
                    || (text.hasPrefix("W/") ? String(text.dropFirst(2)) : text) == tag
            }
        }
        // A date has no more than seconds.
        guard let since = ifModifiedSince.flatMap(HTTPDate.parsing),
            let second = CivilTime(changed)?.timestamp
        else { return false }
        return second <= since
    }

    /// Other bytes have another tag.
    private static func tag(of text: String) -> String { "\"\(Checksum.of(text.utf8))\"" }
}
