import ReaderDiagnosis
import TapcardCore
package import Verbs

/// Prints a line for each event on standard output.
package struct LineOutput: EventOutput {
    /// How events are printed.
    package enum Style: Sendable {
        /// Each event as one line of JSON.
        case json
        /// One line for each arriving tag.
        case format(EventFormat)
        /// A readable line for each event.
        case sentences
        /// Nothing is printed.
        case none
    }

    private let style: Style
    private let output: StandardOutput

    package init(_ style: Style, _ output: StandardOutput) {
        (self.style, self.output) = (style, output)
    }

    package func take(_ event: TapEvent) -> Bool {
        switch style {
        case .json: output.write(document: event.document)
        case .format(let format):
            event.kind != .arrived || output.write(format.line(for: event) + "\n")
        case .sentences: output.write(LineOutput.sentence(about: event).escapedForOneLine + "\n")
        case .none: true
        }
    }

    package func end() {}

    private static func sentence(about event: TapEvent) -> String {
        let uid = event.uid ?? "a tag without a readable UID"
        let what: String
        switch event.kind {
        case .arrived:
            // Any tag has the lowest trust, so only higher trust is shown.
            let trust = event.trust.flatMap { $0 == .uid ? nil : " (\($0.rawValue))" } ?? ""
            let content = event.url ?? event.text
            what =
                [event.chip.map { "\(uid) \($0)" } ?? uid, trust].joined()
                + (content.map { ": \($0)" } ?? "")
        case .departed: what = "\(uid) is gone"
        case .reader:
            return LocalTime.text(event.at) + " " + readerSentence(event)
        case .gap: what = "events were dropped"
        }
        let problem = event.error.map { " ! \($0): \(event.message ?? "")" } ?? ""
        return LocalTime.text(event.at) + " " + what + problem
    }

    private static func readerSentence(_ event: TapEvent) -> String {
        if event.error == TapcardError.Kind.noReader.word {
            return "No usable reader was found. Waiting for one... To find out why, run: "
                + "tapcard doctor"
        }
        if event.error == nil { return "The reader works again." }
        return event.message ?? "The reader is gone."
    }
}
