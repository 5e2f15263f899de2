/// The form of the output, from the switches that every command takes.
package struct Manner: Sendable {
    package let isJSON: Bool
    package let isQuiet: Bool
    package let isVerbose: Bool
    private let wantsColor: Bool
    /// Whether the command comes from a page and not from a terminal.
    private(set) var isOfPage = false

    package init(_ environment: [String: String], _ isOn: (Settings.Name) -> Bool) {
        isJSON = isOn(.json)
        isQuiet = isOn(.quiet)
        isVerbose = isOn(.verbose)
        // By the convention of no-color.org, an empty NO_COLOR does not count.
        wantsColor =
            !isOn(.noColor) && environment["NO_COLOR"]?.isEmpty ?? true
            && environment["TERM"] != "dumb"
    }

    /// The form for pages: JSON, without messages next to the answer.
    package static let ofPages = {
        var manner = Manner(["NO_COLOR": "1"]) { $0 == .json }
        manner.isOfPage = true
        return manner
    }()

    /// The form before the command line is parsed, so that usage errors have it as well.
    package init(beforeParsing arguments: [String], _ environment: [String: String]) {
        // After "--", a word such as --json is an argument.
        let words = arguments.prefix { $0 != "--" }
        self.init(environment) { name in
            words.contains("--\(name.rawValue)")
                || environment[name.variable].flatMap(Settings.truth) == true
        }
    }

    /// Whether the locale has only ASCII. Without a locale, as in many containers, the terminal is
    /// assumed to be a modern one.
    package static func knowsASCIIAlone(_ environment: [String: String]) -> Bool {
        let names = ["LC_ALL", "LC_CTYPE", "LANG"]
        let locale = names.compactMap { environment[$0] }.first { !$0.isEmpty }
        guard let locale else { return false }
        let letters = locale.lowercased().filter(\.isLetter)
        return !letters.contains("utf")
    }

    package func hasColor(_ isTerminal: Bool) -> Bool { wantsColor && isTerminal }
}
