import OperatingSystem
import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs

/// The settings file: a JSON object with one member per setting.
struct SettingsFile: Sendable {
    let path: String
    let values: [Settings.Name: String]
    /// Warnings about members that have no effect.
    let warnings: [String]

    /// Reads the file; a missing file has no settings.
    init(_ path: String) throws(TapcardError) {
        self.path = path
        var values: [Settings.Name: String] = [:]
        var warnings: [String] = []
        for member in try SettingsFile.members(of: path) {
            if let variable = Settings.secretNames[member.key] {
                throw SettingsFile.unusable(
                    path, "a password is not allowed in this file; set \(variable) instead")
            }
            guard let name = Settings.Name(rawValue: member.key) else {
                warnings.append(
                    Settings.warning(
                        "\(member.key.debugDescription) in \(path)",
                        "is not a known setting and is ignored",
                        meant: nearestWord(
                            to: member.key, among: Settings.Name.allCases.map(\.rawValue))))
                continue
            }
            guard let text = SettingsFile.text(of: member.value) else {
                throw SettingsFile.unusable(
                    path, "\"\(member.key)\" must be text, a number, true, or false")
            }
            values[name] = text
        }
        (self.values, self.warnings) = (values, warnings)
    }

    /// Writes one setting, or removes it if `text` is nil. The other settings keep their values and
    /// order. If `ifUnset` is true, a different value is not overwritten, and the result is false.
    @discardableResult
    func set(
        _ name: Settings.Name, to text: String?, ifUnset: Bool = false
    ) throws(TapcardError) -> Bool {
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            .joined(separator: "/")
        try translating(DurableFile.makeFolder(folder), into: unwritable)
        return try FileLock.holding(
            path + ".lock", orThrow: unwritable
        ) { () throws(TapcardError) -> Bool in
            // The file is reread under the lock, so that a setting just added by another process is
            // not lost.
            var members = try SettingsFile.members(of: path)
            let value = text.map { text -> JSONValue in
                name.isSwitch ? .bool(Settings.boolean(text) == true) : .string(text)
            }
            let place = members.firstIndex { $0.key == name.rawValue }
            if ifUnset, let place, SettingsFile.text(of: members[place].value) != text {
                return false
            }
            switch (place, value) {
            case (let place?, let value?):
                members[place] = JSONMember(key: name.rawValue, value: value)
            case (let place?, nil): members.remove(at: place)
            case (nil, let value?):
                members.append(JSONMember(key: name.rawValue, value: value))
            case (nil, nil): return true
            }
            let bytes = Array(JSONValue.object(members).prettyText.utf8)
            // If the path is a link, the link is kept, and its target is replaced.
            let file = try translating(DurableFile(path).resolved(), into: unwritable)
            let mode = try translating(file.permissions(), into: unwritable)
            // An existing file keeps its permissions, because others may not be allowed to read it.
            try translating(file.write(bytes, mode: mode ?? 0o644), into: unwritable)
            return true
        }
    }

    private func unwritable(_ error: FileError) -> TapcardError {
        .unwritten(
            "The settings file", error, meaning: "The settings are unchanged.",
            next: [.words("Check that there is free space and that you have write permission.")])
    }

    private static func members(of path: String) throws(TapcardError) -> [JSONMember] {
        let bytes = try translating(DurableFile(path).read()) { (error: FileError) in
            unusable(path, error.detail)
        }
        guard let bytes else { return [] }
        // The permissions are checked before the contents are used, because others may have written
        // them.
        try requireUnexposed(path)
        let value = try translating(JSONValue.parsing(bytes)) { (error: JSONError) in
            unusable(path, error.detail)
        }
        guard let members = value.members else {
            throw unusable(path, "the file must contain a JSON object")
        }
        return members
    }

    private static func unusable(_ path: String, _ reason: String) -> TapcardError {
        TapcardError.usage(
            "The settings in \(path) cannot be used: \(reason).",
            advice: "Fix the file or remove it.")
    }

    private static func text(of value: JSONValue) -> String? {
        if case .bool(let isTrue) = value { return isTrue ? "true" : "false" }
        return value.string ?? value.numberText
    }
}

extension Settings {
    /// Warnings about unknown variables that look like settings. They are not refused, because
    /// other programs may use them.
    static func warnings(of variables: some Sequence<String>) -> [String] {
        variables.filter { $0.hasPrefix("TAPCARD_") && !Settings.variables.contains($0) }.sorted()
            .map {
                warning(
                    "The variable \($0)", "is not a known setting and is ignored",
                    meant: nearestWord(to: $0, among: Settings.variables))
            }
    }

    /// A warning if a simulated reader's ledger is not the expected one, because play money must
    /// never enter the real ledger unnoticed.
    static func warnings(
        ofPlay isPlay: Bool, _ named: String?, ignoring origin: Origin?, _ file: String,
        _ folder: String
    ) -> [String] {
        if let origin {
            let what = origin == .variable ? Name.ledger.variable : "\"ledger\" in \(file)"
            return [
                "\(what) is ignored, because a simulated reader keeps its play money in its own "
                    + "ledger. To use that ledger anyway, add --ledger FILE."
            ]
        }
        guard isPlay, let named, !isSimulatedLedger(named, folder) else { return [] }
        return ["warning: a simulated reader is being used with the real ledger \(named)."]
    }

    /// Whether a ledger's path shows that it holds play money.
    static func isSimulatedLedger(_ path: String, _ folder: String) -> Bool {
        // A "/../" could lead out of the folder to the real ledger.
        path.hasPrefix(folder + "/") && !path.contains("/../")
    }

    fileprivate static func warning(_ what: String, _ reason: String, meant: String?) -> String {
        "\(what) \(reason)." + (meant.map { " Did you mean \($0)?" } ?? "")
    }
}
