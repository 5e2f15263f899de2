import BlockingLane
import WebServer

/// Servers, settings and a handler for tests.
enum ServedExamples {
    /// Answers with the parts of the request.
    @Sendable static func mirror(_ request: WebRequest) async -> WebResponse {
        let query = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        return .text(
            "\(request.method) \(request.path) ?\(query) \(request.body.count)",
            headers: [("X-Token", request.headers["access_token"] ?? "none")])
    }

    static func start(
        _ settings: WebServerSettings = settings(),
        handler: @escaping @Sendable (WebRequest) async -> WebResponse = mirror
    ) throws(WebServerError) -> WebServer {
        try WebServer.start(settings, handler: handler)
    }

    static func settings(
        _ change: (inout WebServerSettings) -> Void = { _ in }
    ) -> WebServerSettings {
        var settings = WebServerSettings()
        // Other tests may keep the threads that clients and handlers wait for.
        settings.idleSeconds = 600
        settings.headSeconds = 600
        settings.transferSeconds = 600
        change(&settings)
        return settings
    }
}

/// A door that stays shut until it is opened, for handlers that have to wait.
final class Door: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Guarded(State())

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
