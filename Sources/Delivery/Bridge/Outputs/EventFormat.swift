import ReaderDiagnosis
import TapcardCore
package import Verbs

/// A text with placeholders such as `{uid}`, which are replaced with an event's values.
package struct EventFormat: Sendable, Hashable {
    /// The placeholders.
    package enum Placeholder: String, CaseIterable, Sendable {
        case uid, text, url, kind, trust, reader, time, error
    }

    private let template: Template

    /// Reads a text; nil if it contains a placeholder that there is not.
    package init?(_ text: String) {
        template = Template(text)
        guard template.names.allSatisfy({ Placeholder(rawValue: $0) != nil }) else { return nil }
    }

    /// The line for an event. A tag's text may contain control characters, which are replaced.
    package func line(for event: TapEvent) -> String {
        template.filled { name in
            Placeholder(rawValue: name).flatMap { value(of: $0, in: event)?.escapedForOneLine } ?? ""
        }
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
        case .error: event.error
        }
    }
}
