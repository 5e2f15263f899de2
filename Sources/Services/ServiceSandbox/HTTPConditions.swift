package import TapcardDomain
package import TextCodecs

/// The conditions of a client that already has an answer, so that it need not be sent again.
package struct HTTPConditions: Hashable, Sendable {
    private let ifNoneMatch: String?
    private let ifModifiedSince: String?

    package init(ifNoneMatch: String? = nil, ifModifiedSince: String? = nil) {
        (self.ifNoneMatch, self.ifModifiedSince) = (ifNoneMatch, ifModifiedSince)
    }

    /// The document with its caching headers, or 304 for a client that already has it.
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

    /// Whether the client has this version. If it names a tag, the time is ignored.
    private func isMet(_ tag: String, _ changed: Timestamp) -> Bool {
        if let ifNoneMatch {
            return ifNoneMatch.split(separator: ",").contains { word in
                let name = word.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
                let text = String(name)
                return text == "*"
                    || (text.hasPrefix("W/") ? String(text.dropFirst(2)) : text) == tag
            }
        }
        // A date has whole seconds only.
        guard let since = ifModifiedSince.flatMap(HTTPDate.parsing),
            let second = CivilTime(changed)?.timestamp
        else { return false }
        return second <= since
    }

    /// The tag of a text: other bytes have another tag.
    private static func tag(of text: String) -> String { "\"\(Checksum.of(text.utf8))\"" }
}
