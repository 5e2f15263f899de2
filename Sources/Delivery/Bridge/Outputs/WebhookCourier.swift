import CardCryptography
package import RemoteServices
package import TapcardDomain
import TextCodecs
import Verbs

/// Posts each event to a web server with a signature, following the Standard Webhooks
/// specification.
package struct WebhookCourier: EventCourier {
    package static let limits = HTTPLimits(connecting: .seconds(10), whole: .seconds(30))

    package let name = "The webhook"
    private let url: String
    /// The signing key.
    private let secret: [UInt8]
    private let transport: any HTTPTransport
    private let limits: HTTPLimits
    private let now: @Sendable () -> Timestamp

    package init(
        to url: String, secret: [UInt8], through transport: any HTTPTransport,
        by limits: HTTPLimits = limits, now: @escaping @Sendable () -> Timestamp
    ) {
        (self.url, self.secret, self.transport) = (url, secret, transport)
        (self.limits, self.now) = (limits, now)
    }

    package func send(_ entry: EventQueue.Entry) async -> Delivery {
        let seconds = String(now().milliseconds / 1_000)
        let signature = WebhookCourier.signature(of: entry.body, id: entry.id, at: seconds, secret)
        let headers = [
            HTTPHeader("webhook-id", entry.id), HTTPHeader("webhook-timestamp", seconds),
            HTTPHeader("webhook-signature", signature),
        ].compactMap(\.self)
        let request = HTTPRequest(
            .post(body: Array(entry.body.utf8)), url, headers: headers, ignoresBody: true)
        do throws(ServiceError) {
            let answer = try await transport.send(request, by: limits)
            let reason = "its server answered with status \(answer.status)"
            return switch answer.status {
            case 200..<300: .accepted
            // These statuses concern the address, the credentials, or a temporary state, so every
            // event would get the same response.
            case 401...405, 407, 408, 410, 421, 425, 429:
                .failed(reason, waiting: answer.wait)
            case 400..<500: .refused(reason, .short, waiting: answer.wait)
            case 500: .refused(reason, .long, waiting: answer.wait)
            // A proxy also returns 502, 503, or 504 while the server behind it is stopped.
            default: .failed(reason, waiting: answer.wait)
            }
        } catch {
            return .failed(error.detail)
        }
    }

    package static func signature(
        of body: String, id: String, at seconds: String, _ secret: [UInt8]
    ) -> String {
        let code = HMACSHA256.code(for: Array("\(id).\(seconds).\(body)".utf8), key: secret)
        return "v1,\(Base64.encode(code))"
    }

    /// Decodes a Standard Webhooks secret: `whsec_` and 24 to 64 bytes in Base64. Returns nil if it
    /// is invalid.
    package static func secret(_ text: String) -> [UInt8]? {
        let prefix = "whsec_"
        guard text.hasPrefix(prefix), let bytes = Base64.decode(text.dropFirst(prefix.count)),
            (24...64).contains(bytes.count)
        else { return nil }
        return bytes
    }
}

extension HTTPAnswer {
    /// The delay that the server requested with Retry-After, if it is given in seconds.
    fileprivate var wait: Duration {
        head["retry-after"].flatMap { UInt32($0) }.map { .seconds($0) } ?? .zero
    }
}
