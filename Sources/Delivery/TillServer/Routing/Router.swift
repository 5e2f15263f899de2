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
    private let tills: Tills
    private let agents: AgentRoutes
    private let forwarding: Forwarding
    /// The routes of the tills with readers on this machine, in order.
    private let tillRoutes: [TillRoutes]
    /// Creates the routes for a till whose reader is on another machine.
    private let remoteRoutes: @Sendable (Tills.Till) -> TillRoutes
    /// The routes created for such tills, by number, each with the queue that it uses.
    private let knownRoutes = Guarded<[Int: (queue: OperationQueue, routes: TillRoutes)]>([:])
    /// The routes for paths that refer to no till or to an unknown till.
    private let serverRoutes: TillRoutes

    init(
        tills: Tills, server runner: TillRunner, agents: AgentRoutes, forwarding: Forwarding,
        originCheck: OriginCheck, authenticator: Authenticator,
        requests: Guarded<[Int: Int]>, connections: @escaping @Sendable () -> Int,
        customers: CustomerWatch?, demoPace: Bool
    ) {
        (self.originCheck, self.authenticator) = (originCheck, authenticator)
        (self.tills, self.agents, self.forwarding) = (tills, agents, forwarding)
        @Sendable func routes(of till: Tills.Till?) -> TillRoutes {
            let watching = WatchingRoutes(
                tills: tills, till: till, authenticator: authenticator, forwarding: forwarding,
                requests: requests, connections: connections, customers: customers)
            return Router.routes(
                of: till, tills, runner, authenticator, watching
            ) { () throws(Problem) in
                runner.settings(
                    tills: tills.local.count, demoPace: demoPace,
                    asksForPassword: try authenticator.needsLogin(),
                    serverAddress: forwarding.ownAddress)
            }
        }
        let tables = tills.local.map { routes(of: $0) }
        let serverTable = routes(of: nil)
        let document =
            APIDocument(
                endpoints: (tables.first ?? serverTable).endpoints + [.document],
                currency: runner.currency,
                cookieName: authenticator.cookieName, tills: max(1, tills.local.count)
            ).value.prettyText + "\n"
        @Sendable func documented(_ routes: TillRoutes) -> TillRoutes {
            var routes = routes
            routes.add(.document) { _, _ throws(Problem) in
                .json(document, headers: [("Cache-Control", "no-cache")])
            }
            return routes
        }
        tillRoutes = tables.map(documented)
        serverRoutes = documented(serverTable)
        remoteRoutes = { documented(routes(of: $0)) }
    }

    /// The routes of a till or, if `till` is nil, those that do not belong to a till.
    private static func routes(
        of till: Tills.Till?, _ tills: Tills, _ runner: TillRunner, _ authenticator: Authenticator,
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
                runner.confirm(
                    given["setting"]?.string ?? "", given["address"]?.string ?? ""),
                into: Problem.init)
            guard isConfirmed else { throw .otherAddressSet }
            return WebResponse(204)
        }
        routes.add(.openSession) { request, _ throws(Problem) in
            let (session, secrets) = try await authenticator.open(try body(of: request), request)
            return .answer(
                ([
                    "token": .string(secrets.token),
                    "cashier": session.cashier.map { .string($0.name.text) } ?? .null,
                ] + RoleCheck.document(of: session.cashier)).object,
                headers: [("Set-Cookie", authenticator.cookie(of: secrets))])
        }
        routes.add(.closeSession) { request, _ throws(Problem) in
            await authenticator.close(try authenticator.requireToken(request))
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
        let (unwrapped, isForwarded) = forwarding.unwrapped(request)
        let (number, request) =
            TillPath.split(unwrapped.path).map { ($0, unwrapped.at($1)) }
            ?? (nil, unwrapped)
        return TillPath.$number.withValue(number) {
            reply(to: request, at: number, isForwarded: isForwarded).at(number)
        }
    }

    private func reply(
        to request: WebRequest, at number: Int?, isForwarded: Bool
    ) -> WebReply {
        let (routes, exists) = locate(number)
        let shared = SharedCall(path: request.path)
        let origin: String?
        do throws(Problem) {
            origin = try originCheck.otherOrigin(
                request, isFile: routes.isFile(request.path), isShared: shared != nil)
        } catch {
            return .now(error.response)
        }
        if number == nil, let reply = agents.reply(to: request) { return reply }
        let own = { @Sendable in ownReply(to: request, shared, from: origin, routes, exists) }
        guard let number = TillPath.remoteNumber, !routes.isFile(request.path) else { return own() }
        guard !isForwarded, mayBeForwarded(request, from: origin),
            let address = forwarding.peerAddress(of: number)
        else {
            guard authenticator.mayHaveStoredSession(request) else { return own() }
            return .later { await answerWithStoredSessions(request, at: number, own) }
        }
        return .later {
            if let answer = await forwarding.answer(to: request, at: number, from: address) {
                return answer
            }
            // The other server is gone, so the till is served here, without its reader.
            return await answerWithStoredSessions(request, at: number, own)
        }
    }

    /// Whether a request may be forwarded. Any other is refused here.
    private func mayBeForwarded(_ request: WebRequest, from origin: String?) -> Bool {
        let type = request.headers["Content-Type"]?.split(separator: ";").first
        return Forwarding.methods.contains(request.method)
            && (origin == nil || request.apiToken != nil)
            && (request.body.isEmpty || type?.lowercased() == "application/json")
    }

    /// The reply of this server, once the ledger has been asked for an unknown session.
    private func answerWithStoredSessions(
        _ request: WebRequest, at number: Int, _ own: @Sendable () -> WebReply
    ) async -> WebResponse {
        if authenticator.mayHaveStoredSession(request),
            let problem = await authenticator.loadSessions(at: number)
        {
            return problem.response
        }
        return await own().response
    }

    /// The reply of this server.
    private func ownReply(
        to request: WebRequest, _ shared: SharedCall?, from origin: String?,
        _ routes: TillRoutes, _ exists: Bool
    ) -> WebReply {
        guard let shared, origin != nil || request.apiToken != nil else {
            return reply(to: request, routes, exists)
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
    private func reply(
        to request: WebRequest, _ routes: TillRoutes, _ exists: Bool
    ) -> WebReply {
        if !exists, routes.isFile(request.path) { return missingPage(routes, request) }
        // Nobody can log in at a till that does not exist, such as a removed one.
        if !exists, TillPath.remoteNumber != nil {
            return .now(Problem.noSuchRemoteTill.response)
        }
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

    /// The routes for the till with this number, or for the server if it is nil. `exists` is false
    /// if there is no such till.
    private func locate(_ number: Int?) -> (TillRoutes, exists: Bool) {
        guard let number else {
            return (tillRoutes.count == 1 ? tillRoutes[0] : serverRoutes, true)
        }
        if (1...max(1, tillRoutes.count)).contains(number), !tillRoutes.isEmpty {
            return (tillRoutes[number - 1], true)
        }
        guard let till = tills.remote(number) else {
            return (serverRoutes, false)
        }
        return (
            knownRoutes.withLock { known in
                if let (queue, routes) = known[number], queue === till.queue { return routes }
                let routes = remoteRoutes(till)
                known[number] = (till.queue, routes)
                return routes
            }, true
        )
    }

    /// Forgets the routes of a till that was removed.
    func forget(_ number: Int) { _ = knownRoutes.withLock { $0.removeValue(forKey: number) } }

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
        (tillRoutes.first ?? serverRoutes).knows(path)
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

extension WebReply {
    /// Waits for the response.
    fileprivate var response: WebResponse {
        get async {
            switch self {
            case .now(let response): response
            case .later(let work): await work()
            }
        }
    }

    /// This reply. If it is prepared later, ``TillPath/number`` is still the till's number then.
    fileprivate func at(_ number: Int?) -> WebReply {
        guard case .later(let work) = self else { return self }
        return .later { await TillPath.$number.withValue(number) { await work() } }
    }
}

extension WebResponse {
    /// This response for a caller. If connections run out, those of logged-in cashiers are closed
    /// last.
    fileprivate func `for`(_ caller: Caller) -> WebResponse {
        caller.cashier == nil ? self : forKnownClient()
    }
}
