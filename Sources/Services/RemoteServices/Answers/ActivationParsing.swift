package import TapcardDomain

/// Parses the activation service's response: `{"ios":"6.24"}`, possibly with other members.
package enum ActivationParsing {
    package static func answer(_ body: [UInt8]) throws(ServiceError) -> ActivationAnswer {
        let member = try AnswerReader(body).member("ios")
        // The version is parsed from the exact digits. As a number, 6.10 would become 6.1.
        let text = try member.digits()
        guard !text.isEmpty else {
            throw member.wrong("is empty, but must be a version", as: .emptyVersion)
        }
        guard let version = Version(text) else {
            throw member.wrong("is \"\(Shown.text(text))\", not a version", as: .badVersion)
        }
        return ActivationRule.isActive(version)
            ? .active : .refused(version: version.description)
    }
}
