/// The output format, based on the switches that every command accepts.
package struct OutputOptions: Sendable {
    package let isJSON: Bool
    package let isQuiet: Bool
    package let isVerbose: Bool
    private let wantsColor: Bool
    /// Whether the command comes from a page rather than from a terminal.
    private(set) var isForPage = false

    package init(_ environment: [String: String], _ isOn: (Settings.Name) -> Bool) {
        isJSON = isOn(.json)
        isQuiet = isOn(.quiet)
        isVerbose = isOn(.verbose)
        // According to no-color.org, an empty NO_COLOR does not count.
        wantsColor =
            !isOn(.noColor) && environment["NO_COLOR"]?.isEmpty ?? true
            && environment["TERM"] != "dumb"
    }

    /// The format for pages: JSON, and no messages other than the document.
    package static let forPages = {
        var options = OutputOptions(["NO_COLOR": "1"]) { $0 == .json }
        options.isForPage = true
        return options
    }()

    /// The format, determined before the command line is parsed, so that it also applies to usage
    /// errors.
    package init(beforeParsing arguments: [String], _ environment: [String: String]) {
        // After "--", a word such as --json is an argument.
        let words = arguments.prefix { $0 != "--" }
        self.init(environment) { name in
            words.contains("--\(name.rawValue)")
                || environment[name.variable].flatMap(Settings.boolean) == true
        }
    }

    /// Whether the locale is limited to ASCII. Without a locale, as in many containers, a modern
    /// terminal is assumed.
    package static func isASCIIOnly(_ environment: [String: String]) -> Bool {
        let names = ["LC_ALL", "LC_CTYPE", "LANG"]
        let locale = names.compactMap { environment[$0] }.first { !$0.isEmpty }
        guard let locale else { return false }
        // The encoding is spelled UTF-8, utf8, or similar.
        let letters = locale.lowercased().filter(\.isLetter)
        return !letters.contains("utf")
    }

    package func hasColor(_ isTerminal: Bool) -> Bool { wantsColor && isTerminal }
}
