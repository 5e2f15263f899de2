import BlockingLane
import TapcardDomain
import TextCodecs
import WebServer

/// The routes for the services and for the sandbox's controls.
struct SandboxRoutes: Sendable {
    static let control = "/sandbox"
    static let icons = "/mastermind/icons"

    let world: Guarded<SandboxWorld>
    let now: @Sendable () -> Timestamp

    var all: WebRoutes {
        var routes = WebRoutes()
        for call in SandboxCall.allCases {
            routes.add(call.method, call.path) { await answer(call, $0) }
        }
        routes.add("GET", SandboxRoutes.control) { _ in
            respond { world, _ in world.document }
        }
        routes.add("GET", SandboxRoutes.control + "/failure") { _ in
            respond { world, _ in ["failure": world.failureText] }
        }
        routes.add("PUT", SandboxRoutes.control + "/failure") { request in
            respond { world, _ throws(SandboxProblem) in
                try world.switchFailure(firstLine(of: request))
                return ["failure": world.failureText]
            }
        }
        routes.add("PUT", SandboxRoutes.control + "/version") { request in
            respond { world, _ throws(SandboxProblem) in
                try world.activation.name(firstLine(of: request))
                return ["version": .string(world.activation.version)]
            }
        }
        routes.add("POST", SandboxRoutes.control + "/draw") { _ in
            respond { world, generator throws(SandboxProblem) in
                SandboxLottery.document(try world.lottery.draw(using: &generator))
            }
        }
        routes.add("GET", SandboxWorld.redirectedPath) { _ in
            respond { world, _ in
                world.log.arrived("GET \(SandboxWorld.redirectedPath)")
                return ["error": "a redirection was followed"]
            }
        }
        return routes
    }

    private func answer(_ call: SandboxCall, _ request: WebRequest) async -> WebResponse {
        var question = SandboxQuestion()
        question.code = request.query("code")
        question.token = request.headers["access_token"]
        question.knownTag = request.headers["If-None-Match"]
        question.body = request.body
        // The delay comes after the lock has been released, so that a slow response does not delay
        // other requests.
        let answer = world.withLock { [question] world in
            var generator = SystemRandomNumberGenerator()
            return world.answer(call, question, now: now(), using: &generator)
        }
        // If the sandbox is stopped, the sleep ends early, but no client is waiting by then.
        if answer.delay > .zero { try? await Task.sleep(for: answer.delay) }
        return WebResponse(answer)
    }

    private func respond(
        _ body: (inout SandboxWorld, inout SystemRandomNumberGenerator) throws(SandboxProblem) ->
            JSONValue
    ) -> WebResponse {
        let answer = world.withLock { world in
            var generator = SystemRandomNumberGenerator()
            do throws(SandboxProblem) {
                return SandboxAnswer(try body(&world, &generator))
            } catch {
                return SandboxAnswer(error)
            }
        }
        return WebResponse(answer)
    }

    /// The first line of the body, without the line break that a shell may have added.
    private func firstLine(of request: WebRequest) -> String {
        let text = String(decoding: request.body, as: UTF8.self)
        // Swift treats CR LF as a single character.
        return String(text.prefix { $0 != "\n" && $0 != "\r\n" })
    }
}

extension WebResponse {
    init(_ answer: SandboxAnswer) {
        let headers = answer.headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        let body: WebBody =
            switch answer.body {
            case .text(let text): .bytes(Array(text.utf8))
            case .cutOff(let text, let bytes): .cutOff(Array(text.utf8), promised: bytes)
            case .spaces(let count, let isAnnounced):
                .filler(byte: UInt8(ascii: " "), count: count, announced: isAnnounced)
            }
        self.init(answer.status, headers: headers, body: body)
    }
}
