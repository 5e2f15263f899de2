import BlockingLane
package import RemoteServices
package import TapcardCore
package import TapcardDomain
import TextCodecs
package import Verbs

/// Receives taps from a `tapcard serve` that owns the reader. Reconnects after a failure.
package struct TapFeed: Sendable {
    package static let path = "/api/v1/taps"
    package static let tapEvent = "tap"

    private static let connecting = Duration.seconds(10)
    /// Much longer than the server's keep-alive interval.
    private static let silence = Duration.seconds(30)
    private static let firstPause = Duration.seconds(1)
    private static let maximumPause = Duration.seconds(30)
    /// The maximum number of events waiting for the outputs.
    private static let maximumWaiting = 1_024

    /// An event and its number on its connection, counted from 1.
    private typealias NumberedEvent = (number: Int, event: EventStreamParser.Event)

    private let address: ServiceAddress
    private let token: HTTPHeader
    private let transport: any HTTPStreaming
    private let dependencies: Station.Dependencies
    private let say: @Sendable (String) -> Void

    package init(
        _ address: ServiceAddress, _ token: HTTPHeader, through transport: any HTTPStreaming,
        _ dependencies: Station.Dependencies, say: @escaping @Sendable (String) -> Void
    ) {
        (self.address, self.token, self.transport) = (address, token, transport)
        (self.dependencies, self.say) = (dependencies, say)
    }

    /// Delivers events until the task is canceled or `deliver` returns false. Returns an error if
    /// reconnecting would not help.
    package func run(_ deliver: (TapEvent) async -> Bool) async -> TapcardError? {
        let stamp = { @Sendable [dependencies] in TapEvent.Stamp(dependencies) }
        var state = FeedState(address.host, stamp)
        var pause = TapFeed.firstPause
        while !Task.isCancelled {
            let (events, source) = AsyncStream.makeStream(
                of: NumberedEvent.self, bufferingPolicy: .bufferingNewest(TapFeed.maximumWaiting))
            async let ending = listen(source)
            var lastNumber = 0
            for await (number, event) in events {
                pause = TapFeed.firstPause
                // If the outputs are too slow, the stream drops its oldest events.
                let count = number - lastNumber - 1
                lastNumber = number
                let gap = count > 0 ? [TapEvent.gap(count, stamp())] : []
                for event in gap + state.heard(event) {
                    guard await deliver(event) else { return nil }
                }
            }
            let failure = await ending
            if Task.isCancelled { return nil }
            let problem = problem(with: failure)
            guard failure.isTemporary else {
                return problem.reworded(meaning: "The watch has stopped.")
            }
            for event in state.lost(problem) {
                say(problem.what + " Trying again.")
                guard await deliver(event) else { return nil }
            }
            // Jitter keeps many programs from reconnecting at the same moment.
            let jitter = Double.random(in: 0.5...1)
            do { try await dependencies.sleep(pause * jitter) } catch { return nil }
            pause = min(pause * 2, TapFeed.maximumPause)
        }
        return nil
    }

    /// Receives events over one connection. Returns the reason why the connection ended.
    private func listen(
        _ events: AsyncStream<NumberedEvent>.Continuation
    ) async -> ServiceError {
        defer { events.finish() }
        let parser = Guarded((parser: EventStreamParser(), count: 0))
        do throws(ServiceError) {
            let answer = try await transport.stream(
                HTTPRequest(.get, address.appending(TapFeed.path), headers: [token]),
                connecting: TapFeed.connecting, silence: TapFeed.silence
            ) { bytes in
                parser.withLock { state in
                    for event in state.parser.take(bytes) {
                        // The first event shows what is on the reader. Later ones are either taps
                        // or only keep the connection alive.
                        guard state.count == 0 || event.name == TapFeed.tapEvent else { continue }
                        state.count += 1
                        events.yield((state.count, event))
                    }
                }
            }
            return TapFeed.failure(of: answer)
        } catch {
            return error
        }
    }

    /// Returns the reason why a response is not a stream of events, or why the stream ended.
    private static func failure(of answer: HTTPAnswer) -> ServiceError {
        let status = "it answered with status \(answer.status)"
        let title = (try? JSONValue.parsing(answer.body))?["title"]?.string
        let refusal = title.map { "\(status): \(String($0.prefix(maximumTitle)).shown)" } ?? status
        switch answer.status {
        case 200 where answer.head["content-type"]?.hasPrefix("text/event-stream") == true:
            return ServiceError(.cutOff, "it ended the connection")
        case 200: return ServiceError(.wrongShape, "its response is not a stream of taps")
        case 408, 429, 500...599: return ServiceError(.broken, refusal)
        default: return ServiceError(.refused, refusal)
        }
    }

    private static let maximumTitle = 200

    private func problem(with failure: ServiceError) -> TapcardError {
        TapcardError(
            .service(failure.kind), "Cannot receive taps from \(address.host): \(failure.detail).",
            meaning: "Taps are missed while there is no connection.",
            next: [.words("Check the address and the token.")])
    }
}
