import TapcardCore
package import Verbs

/// A text with placeholders such as `{uid}`, which are replaced with an event's values.
package struct EventFormat: Sendable, Hashable {
    /// The placeholders.
    package enum Placeholder: String, CaseIterable, Sendable {
        case uid, text, url, kind, trust, reader, time, error
    }

    private enum Part: Sendable, Hashable {
        case text(String)
        case value(Placeholder)
    }

    private var parts: [Part] = []

    /// Reads a text; nil if it contains a brace that does not belong to a placeholder. Two opening
    /// braces stand for one.
    package init?(_ text: String) {
        var rest = text[...]
        while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            parts.append(.text(String(rest[..<brace])))
            let after = rest[brace...].dropFirst()
            if let next = after.first, next == rest[brace] {
                parts.append(.text(String(next)))
                rest = after.dropFirst()
                continue
            }
            guard rest[brace] == "{", let end = after.firstIndex(of: "}"),
                let placeholder = Placeholder(rawValue: String(after[..<end]))
            else { return nil }
            parts.append(.value(placeholder))
            rest = after[end...].dropFirst()
        }
        parts.append(.text(String(rest)))
    }

    /// The line for an event. A tag's text may contain control characters, which are replaced.
    package func line(for event: TapEvent) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .value(let placeholder): value(of: placeholder, in: event)?.shown ?? ""
            }
        }.joined()
    }

    private func value(of placeholder: Placeholder, in event: TapEvent) -> String? {
        switch placeholder {
        case .uid: event.uid
        case .text: event.text
        case .url: event.url
        case .kind: event.chip
        case .trust: event.trust?.rawValue
        case .reader: event.reader
        case .time: LocalTime.iso(event.at)
        case .error: event.problem?.kind.word
        }
    }
}
