package import TapcardDomain

/// Where a ledger is: in a file on this machine, or in a database that stations share.
package enum LedgerPlace: Hashable, Sendable, CustomStringConvertible {
    case file(String)
    /// A libpq URI, such as "postgresql://till-1@ledger.example/tapcard".
    case database(String)

    private static let filePrefix = "sqlite:"

    /// Parses the place: a database URI, or a file given as "sqlite:FILE" or as a path.
    package init(_ text: String) {
        if LedgerPlace.schemes.contains(where: text.hasPrefix) {
            self = .database(text)
        } else {
            self = .file(
                text.hasPrefix(LedgerPlace.filePrefix)
                    ? String(text.dropFirst(LedgerPlace.filePrefix.count)) : text)
        }
    }

    // libpq accepts both schemes.
    private static let schemes = ["postgresql://", "postgres://"]

    package var description: String {
        switch self {
        case .file(let path): path
        case .database(let address): address
        }
    }

    /// Whether this is a database address in a form that is not supported, rather than the path of
    /// a file: a libpq keyword list, or a URI with another scheme.
    package var isUnsupportedAddress: Bool {
        guard case .file(let path) = self else { return false }
        // Keywords count only at the start of a word, so a path such as "/my-port=1" is a file.
        return path.prefixMatch(of: /[A-Za-z][A-Za-z0-9+.-]*:\/\//) != nil
            || path.split(whereSeparator: \.isWhitespace).contains { word in
                LedgerPlace.keywords.contains { word.hasPrefix($0 + "=") }
            } || path.contains(/\bpassword\s*=/)
    }

    private static let keywords = [
        "host", "hostaddr", "port", "dbname", "user", "password", "passfile", "service", "sslmode",
    ]

    /// Whether the address contains a password, which every user on the machine can see in the list
    /// of processes.
    package var hasPassword: Bool {
        guard case .database(let address) = self else { return false }
        let parts = Parts(of: address)
        return parts.login?.contains(":") ?? false
            || parts.settings.contains { $0.hasPrefix("password=") || $0.hasPrefix("sslpassword=") }
    }

    /// This database with a station's login.
    package func place(for name: StationName) -> LedgerPlace { place(as: name.text) }

    /// This database's address in the form that every station uses, with "NAME" in place of the
    /// station's login.
    package var stationTemplate: LedgerPlace { place(as: "NAME") }

    private func place(as login: String) -> LedgerPlace {
        guard case .database(let address) = self else { return self }
        var parts = Parts(of: address)
        parts.login = login
        // These settings belong to the login that is being replaced.
        let own = ["user=", "passfile=", "sslcert=", "sslkey="]
        parts.settings.removeAll { setting in own.contains(where: setting.hasPrefix) }
        return .database(parts.address)
    }

    /// "SCHEME://[LOGIN@]REST[?SETTING&SETTING]"
    private struct Parts {
        let scheme: Substring
        var login: String?
        let rest: Substring
        var settings: [Substring]

        init(of address: String) {
            let start = address.firstRange(of: "://")?.upperBound ?? address.startIndex
            scheme = address[..<start]
            let halves = address[start...].split(
                separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            settings = halves.count > 1 ? halves[1].split(separator: "&") : []
            // The login ends at the last "@", because a password may contain others.
            if let at = halves[0].lastIndex(of: "@") {
                login = String(halves[0][..<at])
                rest = halves[0][halves[0].index(after: at)...]
            } else {
                (login, rest) = (nil, halves[0])
            }
        }

        var address: String {
            scheme + (login.map { $0 + "@" } ?? "") + rest
                + (settings.isEmpty ? "" : "?" + settings.joined(separator: "&"))
        }
    }
}
