import BlockingLane
import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs
import WebServer

/// The routes of the server: the page, the calls, and the counter's own state.
struct Router: Sendable {
    private let originCheck: OriginCheck
    private let authenticator: Authenticator
    private let routes: KioskRoutes
    private static let metrics = "/metrics"

    init(
        desk: CounterDesk, queue: OperationQueue, originCheck: OriginCheck,
        authenticator: Authenticator, requests: Guarded<[Int: Int]>, demoPace: Bool
    ) {
        (self.originCheck, self.authenticator) = (originCheck, authenticator)
        var routes = KioskRoutes()
        PageFiles().add(to: &routes)
        let calls = CounterCall.all + (desk.readerIsSimulated ? CounterCall.simulator : [])
        CallRoutes(queue: queue, authenticator: authenticator).add(calls, to: &routes) { form in
            ValueSchemas.parameter(form, desk.currency)
        }
        routes.add(.settings) { _, _ throws(Problem) in
            .answer(
                desk.settings(demoPace: demoPace, asksForPassword: try authenticator.needsLogin()))
        }
        routes.add(.openSession) { request, _ throws(Problem) in
            let session = try await authenticator.open(try body(of: request), from: request.client)
            return .answer(
                [
                    "token": .string(session.token),
                    "cashier": session.cashier.map { .string($0.name.text) } ?? .null,
                ], headers: [("Set-Cookie", authenticator.cookie(of: session))])
        }
        routes.add(.closeSession) { request, _ throws(Problem) in
            authenticator.close(try authenticator.requireToken(request))
            await queue.dismissUnwelcome()
            return WebResponse(204, headers: [("Set-Cookie", authenticator.noCookie)])
        }
        LiveRoutes(queue: queue, authenticator: authenticator).add(to: &routes)
        WatchingRoutes(queue: queue, authenticator: authenticator, requests: requests)
            .add(to: &routes)
        let document = APIDocument(
            endpoints: routes.endpoints + [.document], currency: desk.currency,
            cookieName: authenticator.cookieName
        ).value.text
        routes.add(.document) { _, _ throws(Problem) in
            .json(document, headers: [("Cache-Control", "no-cache")])
        }
        self.routes = routes
    }

    /// Whether the path needs no login: the page, and the calls that a login needs.
    static func isOpen(_ path: String) -> Bool {
        let base = CallRoutes.base
        if path == metrics { return false }
        return !path.hasPrefix(base)
            || ["settings", "session", "health"].contains(path.dropFirst(base.count))
    }

    func reply(to request: WebRequest) -> WebReply {
        do throws(Problem) {
            try originCheck.requireOwn(request, isFile: routes.isFile(request.path))
        } catch {
            return .now(error.response)
        }
        let reply = routes.reply(to: request)
        if Router.isOpen(request.path) { return reply }
        switch reply {
        case .now(let answer): return .now(refusal(of: request) ?? answer)
        case .later(let work):
            return .later {
                if let refusal = refusal(of: request) { return refusal }
                return await work()
            }
        }
    }

    /// The refusal of a request without a required login.
    private func refusal(of request: WebRequest) -> WebResponse? {
        do throws(Problem) {
            try authenticator.requireReader(request)
            return nil
        } catch {
            return error.response
        }
    }
}
