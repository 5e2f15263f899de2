/// How a run talks: the switches that every command takes.
package struct Manner: Sendable {
    package let isJSON: Bool
    package let isQuiet: Bool
    package let isVerbose: Bool
    /// Whether the terminal knows nothing but lines.
    package let isDumb: Bool
    private let wantsColor: Bool
    /// Whether a page has asked, and not somebody at a terminal.
    private(set) var isOfPage = false

    package init(_ environment: [String: String], _ isOn: (Settings.Name) -> Bool) {
        isJSON = isOn(.json)
        isQuiet = isOn(.quiet)
        isVerbose = isOn(.verbose)
        isDumb = environment["TERM"] == "dumb"
        wantsColor = !isOn(.noColor) && environment["NO_COLOR"]?.isEmpty ?? true && !isDumb
    }

    /// For programs, and without a word beside the answer.
    package static let ofPages = {
        var manner = Manner(["NO_COLOR": "1"]) { $0 == .json }
        manner.isOfPage = true
        return manner
    }()

    /// Known before the words are understood, so that even a usage error takes the form that was
    /// asked for.
    package init(beforeParsing arguments: [String], _ environment: [String: String]) {
        let words = arguments.prefix { $0 != "--" }
        self.init(environment) { name in
            words.contains("--\(name.rawValue)")
                || environment[name.variable].flatMap(Settings.truth) == true
        }
    }

    /// Whether the locale that is set has no letters but those of ASCII. Where none is set, as in
    /// many containers, the terminal is one of today's all the same.
    package static func knowsASCIIAlone(_ environment: [String: String]) -> Bool {
        let names = ["LC_ALL", "LC_CTYPE", "LANG"]
        let locale = names.compactMap { environment[$0] }.first { !$0.isEmpty }
        guard let locale else { return false }
        let letters = locale.lowercased().filter(\.isLetter)
        return !letters.contains("utf")
    }

    package func hasColor(_ isTerminal: Bool) -> Bool { wantsColor && isTerminal }
}
