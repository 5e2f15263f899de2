import ReaderDiagnosis
import TapcardCore
package import Verbs

/// A template with placeholders such as `{uid}` for the values of an event.
package struct EventFormat: Sendable, Hashable {
    package enum Placeholder: String, CaseIterable, Sendable {
        case uid, text, url, kind, trust, reader, time, error
    }

    private let template: Template

    /// Returns nil if the text contains an unknown placeholder.
    package init?(_ text: String) {
        template = Template(text)
        guard template.names.allSatisfy({ Placeholder(rawValue: $0) != nil }) else { return nil }
    }

    /// Returns the line for an event. Escapes control characters, which a tag may contain.
    package func line(for event: TapEvent) -> String {
        template.filled { name in
            Placeholder(rawValue: name).flatMap { value(of: $0, in: event)?.escapedForOneLine }
                ?? ""
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
