import BlockingLane
import CustomerServer
import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs
import WebServer

/// The server's routes: the page, the calls, and the tills' state.
///
/// A till's whole API is under its path. If there is only one till, its API is also at the root. If
/// there are several, the root has only what does not belong to a till: the page, the login, and
/// monitoring.
struct Router: Sendable {
    private let originCheck: OriginCheck
    private let authenticator: Authenticator
    /// The routes of the tills, in order.
    private let tillRoutes: [TillRoutes]
    /// The routes for paths that refer to no till or to an unknown till.
    private let serverRoutes: TillRoutes

    init(
        tills: Tills, originCheck: OriginCheck, authenticator: Authenticator,
        requests: Guarded<[Int: Int]>, customers: CustomerWatch?, demoPace: Bool
    ) {
        (self.originCheck, self.authenticator) = (originCheck, authenticator)
        // The settings belong to the station, so any till can provide them.
        let runner = tills.all[0].runner
        func routes(of till: Tills.Till?) -> TillRoutes {
            let watching = WatchingRoutes(
                tills: tills, till: till, authenticator: authenticator,
                requests: requests, customers: customers)
            return Router.routes(
                of: till, tills, authenticator, watching
            ) { () throws(Problem) in
                runner.settings(
                    tills: tills.all.count, demoPace: demoPace,
                    asksForPassword: try authenticator.needsLogin())
            }
        }
        let tables = tills.all.map { routes(of: $0) }
        let document =
            APIDocument(
                endpoints: tables[0].endpoints + [.document], currency: runner.currency,
                cookieName: authenticator.cookieName, tills: tills.all.count
            ).value.prettyText + "\n"
        func documented(_ routes: TillRoutes) -> TillRoutes {
            var routes = routes
            routes.add(.document) { _, _ throws(Problem) in
                .json(document, headers: [("Cache-Control", "no-cache")])
            }
            return routes
        }
        tillRoutes = tables.map(documented)
        serverRoutes = documented(routes(of: nil))
    }

    /// The routes of a till or, if `till` is nil, those that do not belong to a till.
    private static func routes(
        of till: Tills.Till?, _ tills: Tills, _ authenticator: Authenticator,
        _ watching: WatchingRoutes,
        settings: @escaping @Sendable () throws(Problem) -> JSONValue
    ) -> TillRoutes {
        var routes = TillRoutes()
        PageFiles.all.add(to: &routes)
        if let till {
            let isSimulated = till.runner.readerIsSimulated
            let currency = till.runner.currency
            CallRoutes(queue: till.queue, authenticator: authenticator).add(
                TillCall.all + (isSimulated ? TillCall.simulator : []), to: &routes
            ) { form in ValueSchemas.parameter(form, currency) }
        }
        routes.add(.settings) { _, _ throws(Problem) in .answer(try settings()) }
        routes.add(.confirmAddress) { request, _ throws(Problem) in
            guard try authenticator.requireToken(request).cashier == nil else {
                throw .operatorNeeded
            }
            // tapcard sends requests to a confirmed address, so others on the network must not be
            // able to confirm one.
            guard authenticator.isLoopback else { throw .operatorNeededInNetwork }
            let given = JSONValue.object(try body(of: request))
            let isConfirmed = try translating(
                tills.all[0].runner.confirm(
                    given["setting"]?.string ?? "", given["address"]?.string ?? ""),
                into: Problem.init)
            guard isConfirmed else { throw .otherAddressSet }
            return WebResponse(204)
        }
        routes.add(.openSession) { request, _ throws(Problem) in
            let session = try await authenticator.open(try body(of: request), request)
            return .answer(
                ([
                    "token": .string(session.token),
                    "cashier": session.cashier.map { .string($0.name.text) } ?? .null,
                ] + RoleCheck.document(of: session.cashier)).object,
                headers: [("Set-Cookie", authenticator.cookie(of: session))])
        }
        routes.add(.closeSession) { request, _ throws(Problem) in
            authenticator.close(try authenticator.requireToken(request))
            // Without this, the session's event streams would stay open until the next event.
            await tills.endUnauthorizedStreams()
            return WebResponse(204, headers: [("Set-Cookie", authenticator.noCookie)])
        }
        routes.add(.giveConsent) { request, _ throws(Problem) in
            try await authenticator.consent(try body(of: request), request)
            return WebResponse(204)
        }
        if let till {
            LiveRoutes(queue: till.queue, authenticator: authenticator).add(to: &routes)
            ArmingRoutes(queue: till.queue, authenticator: authenticator).add(to: &routes)
            DisplayRoutes(queue: till.queue, authenticator: authenticator).add(to: &routes)
        }
        watching.add(to: &routes)
        return routes
    }

    func reply(to request: WebRequest) -> WebReply {
        let (routes, request, exists) = locate(request)
        let shared = SharedCall(path: request.path)
        let origin: String?
        do throws(Problem) {
            origin = try originCheck.otherOrigin(
                request, isFile: routes.isFile(request.path), isShared: shared != nil)
        } catch {
            return .now(error.response)
        }
        guard let shared, origin != nil || request.apiToken != nil else {
            return ownReply(to: request, routes, exists)
        }
        let reply =
            if request.method == "OPTIONS", origin != nil {
                WebReply.now(shared.preflight(request))
            } else if request.apiToken == nil {
                // Other origins must not be able to use a session token of the till page.
                WebReply.now(Problem.apiTokenNeeded(isGiven: request.hasAuthorization).response)
            } else {
                // The handler checks the token.
                routes.reply(to: request) ?? .now(unknown(request.path).response)
            }
        guard let origin else { return reply }
        return reply.changing { $0.adding(SharedCall.headers(for: origin)) }
    }

    /// The reply to the till page, or to a program without an API token.
    private func ownReply(
        to request: WebRequest, _ routes: TillRoutes, _ exists: Bool
    ) -> WebReply {
        if !exists, routes.isFile(request.path) { return missingPage(routes, request) }
        let reply = routes.reply(to: request) ?? .now(unknown(request.path).response)
        let permission = routes.permission(for: request)
        if permission == .everyone { return reply }
        switch reply {
        case .now(let answer):
            return .now(
                Router.answer { () throws(Problem) in
                    let caller = try authenticator.caller(of: request)
                    try authenticator.roles.requireRole(permission, of: caller)
                    return answer.for(caller)
                })
        case .later(let work):
            return .later {
                do throws(Problem) {
                    let caller = try authenticator.caller(of: request)
                    let supervisor = try await authenticator.roles.require(
                        permission, of: caller, for: request)
                    return await RoleCheck.$supervisor.withValue(supervisor) {
                        await work().for(caller)
                    }
                } catch {
                    return error.response
                }
            }
        }
    }

    /// The routes for a request, and the request without the till's path. `exists` is false if the
    /// path refers to a till that does not exist.
    private func locate(_ request: WebRequest) -> (TillRoutes, WebRequest, exists: Bool) {
        guard let (number, path) = TillPath.split(request.path) else {
            return (tillRoutes.count == 1 ? tillRoutes[0] : serverRoutes, request, true)
        }
        let exists = (1...tillRoutes.count).contains(number)
        return (exists ? tillRoutes[number - 1] : serverRoutes, request.at(path), exists)
    }

    /// The page for an unknown till, which says that the till is unknown and offers the other
    /// tills.
    private func missingPage(_ routes: TillRoutes, _ request: WebRequest) -> WebReply {
        // This request omits the headers that a browser uses to ask whether its copy is current.
        let plain = WebRequest(method: request.method, path: request.path)
        guard case .now(let page)? = routes.reply(to: plain), page.status == 200 else {
            return routes.reply(to: plain) ?? .now(unknown(request.path).response)
        }
        return .now(
            WebResponse(404, headers: page.headers.map { ($0.name, $0.value) }, body: page.body))
    }

    /// The problem for a path without a route.
    private func unknown(_ path: String) -> Problem {
        tillRoutes[0].knows(path)
            ? .noSuchTill(among: tillRoutes.count)
            : Problem(.notFound, "There is nothing at this path.")
    }

    private static func answer(
        _ make: () throws(Problem) -> WebResponse
    ) -> WebResponse {
        do throws(Problem) {
            return try make()
        } catch {
            return error.response
        }
    }
}

extension WebResponse {
    /// This response for a caller. If connections run out, those of logged-in cashiers are closed
    /// last.
    fileprivate func `for`(_ caller: Caller) -> WebResponse {
        caller.cashier == nil ? self : forKnownClient()
    }
}
