/// A way in which a service can go wrong.
public enum SandboxFailure: String, CaseIterable, Sendable {
    /// The answer is late.
    case slow
    /// Half of the answer, and the connection is closed.
    case cutOff = "cut-off"
    /// 100 MiB, as announced.
    case huge
    /// 100 MiB that nobody announced.
    case hugeUnannounced = "huge-unannounced"
    case notJSON = "not-json"
    /// JSON that answers something else.
    case wrongShape = "wrong-shape"
    case redirect
    case badRequest = "400"
    case notFound = "404"
    case broken = "500"
    case unavailable = "503"
    /// A version that is not above 6.1.
    case wrongVersion = "wrong-version"
    /// A word where a version should be.
    case badVersion = "bad-version"
    case emptyVersion = "empty-version"
    /// A ball that is not among those that are drawn.
    case badBalls = "bad-balls"
    case duplicateBalls = "duplicate-balls"
    /// A day that no year has.
    case badDate = "bad-date"
    /// The token that comes is one that has expired.
    case expiredToken = "expired-token"

    /// The calls that it can befall.
    package var calls: [SandboxCall] {
        switch self {
        case .wrongVersion, .badVersion, .emptyVersion: [.version]
        case .badBalls, .duplicateBalls: [.draws, .tickets]
        case .badDate: [.draws]
        case .expiredToken: [.start, .guess, .ranking]
        default: SandboxCall.allCases
        }
    }
}

/// What is to go wrong: `cut-off`, `lottery:slow`, `slow=3`, `expired-token*1`.
public struct SandboxSwitch: Hashable, Sendable, CustomStringConvertible {
    public static let mostSeconds = 3_600
    private static let mostTimes = 1_000_000
    /// Longer than any client waits.
    private static let usualSeconds = 60

    public let failure: SandboxFailure
    /// Nil for all of them.
    public let service: SandboxService?
    /// How late a slow answer comes.
    public let seconds: Int
    /// How many requests it still befalls; nil for every one until it is switched off.
    public private(set) var times: Int?

    /// Nil for what is no switch, and for one that could never befall anything.
    public init?(_ text: String) {
        var rest = text[...]
        var times: Int?
        if let star = rest.lastIndex(of: "*") {
            guard let number = SandboxSwitch.number(rest[star...], 1...SandboxSwitch.mostTimes)
            else { return nil }
            (times, rest) = (number, rest[..<star])
        }
        var seconds: Int?
        if let sign = rest.lastIndex(of: "=") {
            guard let number = SandboxSwitch.number(rest[sign...], 0...SandboxSwitch.mostSeconds)
            else { return nil }
            (seconds, rest) = (number, rest[..<sign])
        }
        var service: SandboxService?
        if let colon = rest.firstIndex(of: ":") {
            guard let named = SandboxService(rawValue: String(rest[..<colon])) else { return nil }
            (service, rest) = (named, rest[colon...].dropFirst())
        }
        guard let failure = SandboxFailure(rawValue: String(rest)),
            seconds == nil || failure == .slow,
            failure.calls.contains(where: { service == nil || $0.service == service })
        else { return nil }
        (self.failure, self.service, self.times) = (failure, service, times)
        self.seconds = seconds ?? SandboxSwitch.usualSeconds
    }

    /// Digits behind a sign of one character.
    private static func number(_ text: Substring, _ range: ClosedRange<Int>) -> Int? {
        let digits = text.dropFirst()
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(digits), range.contains(number)
        else { return nil }
        return number
    }

    public var description: String {
        (service.map { "\($0.rawValue):" } ?? "") + failure.rawValue
            + (seconds == SandboxSwitch.usualSeconds ? "" : "=\(seconds)")
            + (times.map { "*\($0)" } ?? "")
    }

    /// Why a text is no switch, and which ones there are.
    public static func refusal(_ text: String) -> String {
        let words = SandboxFailure.allCases.map(\.rawValue).joined(separator: ", ")
        let services = SandboxService.allCases.map(\.rawValue).joined(separator: ", ")
        return
            "\(text.debugDescription) is no failure that can be switched on; there are \(words); "
            + "in front of it a service and a colon (\(services)), behind it =SECONDS for slow, "
            + "and *TIMES"
    }

    /// Whether it befalls such a request.
    func strikes(_ call: SandboxCall) -> Bool {
        (service == nil || service == call.service) && failure.calls.contains(call)
    }

    /// What is left of it after it has struck.
    var next: SandboxSwitch? {
        guard let times else { return self }
        var left = self
        left.times = times - 1
        return times > 1 ? left : nil
    }
}
