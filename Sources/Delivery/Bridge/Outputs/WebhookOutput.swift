import CardCryptography
package import RemoteServices
package import TapcardDomain
import TextCodecs
package import Verbs

/// Posts each event to a web server, as Standard Webhooks describe it: signed, in order, and until
/// the server has accepted it.
package actor WebhookOutput: EventOutput {
    /// What the output needs besides the queue.
    package struct Settings: Sendable {
        package var url: String
        /// The key of the signatures.
        package var secret: [UInt8]
        /// An event that is older than this is dropped instead of sent.
        package var maximumAge: Duration?

        package init(url: String, secret: [UInt8], maximumAge: Duration?) {
            (self.url, self.secret, self.maximumAge) = (url, secret, maximumAge)
        }
    }

    private static let limits = HTTPLimits(connecting: .seconds(10), whole: .seconds(30))
    private static let firstPause = Duration.seconds(1)
    /// How often an event is sent again that the server refuses because of its content.
    private static let maximumRefusals = 5
    private static let maximumPause = Duration.seconds(300)

    private let settings: Settings
    private let transport: any HTTPTransport
    private let now: @Sendable () -> Timestamp
    private let sleep: @Sendable (Duration) async throws -> Void
    private let say: @Sendable (String) -> Void
    private var queue: EventQueue
    private var worker: Task<Void, Never>?
    /// The event that the server refused last, and how often.
    private var refused: (id: String, count: Int) = ("", 0)
    private var isFailing = false
    /// Whether the server has asked for no more events.
    private var isOver = false

    package init(
        _ settings: Settings, _ queue: EventQueue, through transport: any HTTPTransport,
        now: @escaping @Sendable () -> Timestamp,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        say: @escaping @Sendable (String) -> Void
    ) {
        (self.settings, self.transport) = (settings, transport)
        (self.now, self.sleep, self.say) = (now, sleep, say)
        self.queue = queue
    }

    /// Delivers what earlier runs left in the queue.
    package func begin() {
        if worker == nil, !queue.isEmpty { worker = Task { await deliver() } }
    }

    package func take(_ event: TapEvent) -> Bool {
        guard !isOver else { return true }
        queue.add(event)
        begin()
        return true
    }

    package func end() async {
        worker?.cancel()
        await worker?.value
    }

    private func deliver() async {
        var pause = WebhookOutput.firstPause
        while !Task.isCancelled, !isOver, let entry = next() {
            if await send(entry) {
                queue.remove(entry)
                pause = WebhookOutput.firstPause
            } else if refused.id == entry.id, refused.count >= WebhookOutput.maximumRefusals {
                say("The webhook's server refuses the event \(entry.id), so it is dropped.")
                queue.giveUp(entry)
            } else if !isOver {
                // Without jitter, many stations would all try again at the same moment.
                let jitter = Double.random(in: 0.5...1)
                do { try await sleep(pause * jitter) } catch { break }
                pause = min(pause * 2, WebhookOutput.maximumPause)
            }
        }
        worker = nil
    }

    private func next() -> EventQueue.Entry? {
        if let maximumAge = settings.maximumAge {
            let milliseconds = Int64(maximumAge / .milliseconds(1))
            queue.expire(before: now().adding(milliseconds: -milliseconds))
        }
        return queue.first()
    }

    /// Whether the server has accepted the event.
    private func send(_ entry: EventQueue.Entry) async -> Bool {
        let seconds = String(now().milliseconds / 1_000)
        let signature = WebhookOutput.signature(
            of: entry.body, id: entry.id, at: seconds, settings.secret)
        let headers = [
            HTTPHeader("webhook-id", entry.id), HTTPHeader("webhook-timestamp", seconds),
            HTTPHeader("webhook-signature", signature),
        ].compactMap(\.self)
        let request = HTTPRequest(
            .post(body: Array(entry.body.utf8)), settings.url, headers: headers)
        do throws(ServiceError) {
            let answer = try await transport.send(request, by: WebhookOutput.limits)
            switch answer.status {
            case 200..<300:
                if isFailing { say("The webhook accepts events again.") }
                isFailing = false
                return true
            case 410:
                isOver = true
                say("The webhook's server wants no more events (status 410), so none are sent.")
            case 400, 413, 422:
                refused = (entry.id, refused.id == entry.id ? refused.count + 1 : 1)
                fail("its server answered with status \(answer.status)")
            default: fail("its server answered with status \(answer.status)")
            }
        } catch {
            if error.kind == .tooLarge {
                refused = (entry.id, refused.id == entry.id ? refused.count + 1 : 1)
            }
            if error.kind != .cancelled { fail(error.detail) }
        }
        return false
    }

    private func fail(_ reason: String) {
        guard !isFailing else { return }
        isFailing = true
        say("The webhook cannot be reached: \(reason.shown). Events wait until it can be.")
    }

    /// The signature of an event, which only someone with the secret can make.
    package static func signature(
        of body: String, id: String, at seconds: String, _ secret: [UInt8]
    ) -> String {
        let code = HMACSHA256.code(for: Array("\(id).\(seconds).\(body)".utf8), key: secret)
        return "v1,\(Base64.encode(code))"
    }

    /// The key in a secret as Standard Webhooks write it: `whsec_` and 24 to 64 bytes in Base64.
    package static func secret(_ text: String) -> [UInt8]? {
        let prefix = "whsec_"
        guard text.hasPrefix(prefix), let bytes = Base64.decode(text.dropFirst(prefix.count)),
            (24...64).contains(bytes.count)
        else { return nil }
        return bytes
    }
}
