/// A way in which a service can fail.
public enum SandboxFailure: String, CaseIterable, Sendable {
    /// The response is late.
    case slow
    /// The connection is closed halfway through the response.
    case cutOff = "cut-off"
    /// 100 MiB, with a Content-Length header.
    case huge
    /// 100 MiB, without a Content-Length header.
    case hugeUnannounced = "huge-unannounced"
    case notJSON = "not-json"
    /// JSON with the wrong structure.
    case wrongShape = "wrong-shape"
    case redirect
    case badRequest = "400"
    case notFound = "404"
    case broken = "500"
    case unavailable = "503"
    /// A version no later than 6.1.
    case wrongVersion = "wrong-version"
    /// A word in place of a version.
    case badVersion = "bad-version"
    case emptyVersion = "empty-version"
    /// A ball whose number is too high.
    case badBalls = "bad-balls"
    case duplicateBalls = "duplicate-balls"
    /// A date that does not exist.
    case badDate = "bad-date"
    /// The service treats the token as expired.
    case expiredToken = "expired-token"

    /// The calls that can fail in this way.
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

/// A failure that can be turned on, such as `cut-off`, `lottery:slow`, `slow=3`, or
/// `expired-token*1`.
public struct SandboxSwitch: Hashable, Sendable, CustomStringConvertible {
    public static let maximumSeconds = 3_600
    private static let maximumTimes = 1_000_000
    /// The default delay, in seconds. It is longer than any client waits.
    private static let defaultSeconds = 60

    public let failure: SandboxFailure
    /// The affected service; `nil` for all of them.
    public let service: SandboxService?
    /// How long a slow response is delayed, in seconds.
    public let seconds: Int
    /// How many more requests will fail; `nil` if all of them will, until the failure is turned
    /// off.
    public private(set) var times: Int?

    /// Parses a description of a failure; `nil` if it is invalid or the failure could never happen.
    public init?(_ text: String) {
        var rest = text[...]
        var times: Int?
        // The optional parts are removed one by one, until only the failure's name is left.
        if let star = rest.lastIndex(of: "*") {
            guard let number = SandboxSwitch.number(rest[star...], 1...SandboxSwitch.maximumTimes)
            else { return nil }
            (times, rest) = (number, rest[..<star])
        }
        var seconds: Int?
        if let equals = rest.lastIndex(of: "=") {
            guard
                let number = SandboxSwitch.number(rest[equals...], 0...SandboxSwitch.maximumSeconds)
            else { return nil }
            (seconds, rest) = (number, rest[..<equals])
        }
        var service: SandboxService?
        if let colon = rest.firstIndex(of: ":") {
            guard let named = SandboxService(rawValue: String(rest[..<colon])) else { return nil }
            (service, rest) = (named, rest[colon...].dropFirst())
        }
        guard let failure = SandboxFailure(rawValue: String(rest)),
            seconds == nil || failure == .slow,
            // A failure that affects no call to this service could never happen.
            failure.calls.contains(where: { service == nil || $0.service == service })
        else { return nil }
        (self.failure, self.service, self.times) = (failure, service, times)
        self.seconds = seconds ?? SandboxSwitch.defaultSeconds
    }

    /// The number after a one-character separator.
    private static func number(_ text: Substring, _ range: ClosedRange<Int>) -> Int? {
        let digits = text.dropFirst()
        // `Int(_:)` alone would also accept a plus or minus sign.
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(digits), range.contains(number)
        else { return nil }
        return number
    }

    public var description: String {
        (service.map { "\($0.rawValue):" } ?? "") + failure.rawValue
            + (seconds == SandboxSwitch.defaultSeconds ? "" : "=\(seconds)")
            + (times.map { "*\($0)" } ?? "")
    }

    /// The message for an invalid description, with a list of the valid ones.
    public static func refusal(_ text: String) -> String {
        let failures = SandboxFailure.allCases.map(\.rawValue).joined(separator: ", ")
        let services = SandboxService.allCases.map(\.rawValue).joined(separator: ", ")
        return
            "Unknown failure \(text.debugDescription). The form is "
            + "[SERVICE:]FAILURE[=SECONDS][*TIMES]. FAILURE is one of \(failures); SERVICE is one "
            + "of \(services); only slow takes =SECONDS"
    }

    /// Whether the failure affects this call.
    func affects(_ call: SandboxCall) -> Bool {
        (service == nil || service == call.service) && failure.calls.contains(call)
    }

    /// What is left of this switch after another request has failed; `nil` if no more requests will
    /// fail.
    var next: SandboxSwitch? {
        guard let times else { return self }
        var remaining = self
        remaining.times = times - 1
        return times > 1 ? remaining : nil
    }
}
