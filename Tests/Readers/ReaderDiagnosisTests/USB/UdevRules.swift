import Foundation

/// The part of udev's language that this repository's rules use. Everything else is refused, so
/// that a typing mistake does not pass for a rule.
struct UdevRules {
    /// A device to which the rules are applied.
    struct Device {
        var action = "add"
        var subsystem: String
        var environment: [String: String] = [:]
        var attributes: [String: String] = [:]
        /// The attributes of the parent device that ATTRS matches.
        var parent: [String: String] = [:]
    }

    /// The properties that the rules gave it.
    struct Outcome: Equatable {
        var tags: Set<String> = []
        var group: String?
        var mode: String?
    }

    struct Refused: Error {
        let line: String
    }

    private typealias Term = (key: String, operator: String, value: String)
    private let rules: [[Term]]

    init(_ text: String) throws {
        rules = try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            try line.split(separator: ", ").map { part in
                guard
                    let match = part.wholeMatch(
                        of: /([A-Z]+(?:\{[A-Za-z]+\})?)(==|!=|\+=|=)"([^"]*)"/)
                else { throw Refused(line: String(line)) }
                return (String(match.1), String(match.2), String(match.3))
            }
        }
        let labels = rules.joined().filter { $0.key == "LABEL" }.map(\.value)
        for jump in rules.joined() where jump.key == "GOTO" && !labels.contains(jump.value) {
            throw Refused(line: "GOTO \(jump.value)")
        }
    }

    func outcome(for device: Device) throws -> Outcome {
        var outcome = Outcome()
        var label: String?
        for rule in rules {
            // A jump goes forward only, as udev's do.
            if let wanted = label {
                guard rule.contains(where: { $0.key == "LABEL" && $0.value == wanted }) else {
                    continue
                }
                label = nil
            }
            let tests = rule.filter { $0.operator == "==" || $0.operator == "!=" }
            guard try tests.allSatisfy({ try Self.holds($0, device) }) else { continue }
            for (key, _, value) in rule where !tests.contains(where: { $0.key == key }) {
                switch key {
                case "TAG": outcome.tags.insert(value)
                case "GROUP": outcome.group = value
                case "MODE": outcome.mode = value
                case "GOTO": label = value
                case "LABEL": break
                default: throw Refused(line: key)
                }
            }
        }
        return outcome
    }

    private static func holds(_ term: Term, _ device: Device) throws -> Bool {
        let name = term.key.split(separator: "{").last.map { String($0.dropLast()) } ?? ""
        let found: String?
        switch term.key {
        case "ACTION": found = device.action
        case "SUBSYSTEM": found = device.subsystem
        case _ where term.key.hasPrefix("ENV{"): found = device.environment[name]
        case _ where term.key.hasPrefix("ATTR{"): found = device.attributes[name]
        // Negated, it would be true of some device above in any case.
        case _ where term.key.hasPrefix("ATTRS{") && term.operator == "==":
            found = device.parent[name]
        default: throw Refused(line: term.key)
        }
        return (found == term.value) == (term.operator == "==")
    }
}
