package import TapcardDomain

/// The address of an MQTT broker and the login for it.
package struct MQTTBroker: Sendable {
    package struct Login: Sendable {
        package let user: String
        package let password: String

        /// Parses `NAME:PASSWORD`. The name ends at the first colon. Returns nil if there is none.
        package init?(_ text: String) {
            guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else { return nil }
            user = String(text[..<colon])
            password = String(text[text.index(after: colon)...])
        }
    }

    package let host: String
    package let port: UInt16
    package let isSecure: Bool
    package let login: Login?
    /// A file with additional trusted CA certificates.
    package let authorities: String?

    private static let schemes: [(prefix: String, port: UInt16, isSecure: Bool)] = [
        ("mqtt://", 1_883, false), ("mqtts://", 8_883, true),
    ]

    /// Parses an address such as mqtts://broker.example or mqtt://[::1]:1884.
    package init(
        _ address: String, login: Login?, authorities: String?
    ) throws(ServiceError) {
        guard let scheme = MQTTBroker.schemes.first(where: { address.hasPrefix($0.prefix) }) else {
            throw ServiceError(.badAddress, "it does not begin with mqtt:// or mqtts://")
        }
        let rest = address.dropFirst(scheme.prefix.count)
        // Hosts and ports follow the same rules as in http:// addresses.
        let place = try ServiceAddress("http://" + rest).host
        guard rest == place || rest == place + "/" else {
            throw ServiceError(.badAddress, "it has a path; the topic is given with --topic")
        }
        let digits = place.last == "]" ? nil : place.split(separator: ":").dropFirst().last
        port = digits.flatMap { UInt16($0) } ?? scheme.port
        let name = digits.map { place.dropLast($0.count + 1) } ?? place[...]
        host = String(name.first == "[" ? name.dropFirst().dropLast() : name)
        (isSecure, self.login, self.authorities) = (scheme.isSecure, login, authorities)
    }
}

/// The topic that events are published to. Its subtopics begin with its name.
package struct MQTTTopic: Sendable, Hashable {
    package let name: String

    private static let maximumLength = 1_024

    /// Returns nil if the name is empty or too long, is a system topic, or contains a wildcard or
    /// an unsafe character.
    package init?(_ name: String) {
        guard (1...MQTTTopic.maximumLength).contains(name.utf8.count), name.first != "$",
            name.unicodeScalars.allSatisfy({ !"+#".unicodeScalars.contains($0) && !$0.isMisleading }
            )
        else { return nil }
        self.name = name
    }

    /// The topic where the broker retains `online` or `offline` for this watch.
    package var availability: String { name + "/availability" }
}
