import BlockingLane
package import CardCryptography
package import Ledger
import Tags
package import TapcardDomain
package import WebServer

/// Serves the form at a card's address, and then the card's page. This code can never change a card
/// or its balance, because it reaches the ledger only through `CustomerLedger`.
package struct CustomerRoutes: Sendable {
    /// The machine's clocks.
    package struct Clocks: Sendable {
        let now: @Sendable () -> Timestamp
        /// A monotonic clock, in milliseconds.
        let uptime: @Sendable () -> Int64

        package init(
            now: @escaping @Sendable () -> Timestamp, uptime: @escaping @Sendable () -> Int64
        ) {
            (self.now, self.uptime) = (now, uptime)
        }
    }

    /// The maximum number of refusals per minute for a network address. Many phones on a network
    /// may share one address.
    package static let maximumPerAddress = 60
    /// The maximum number of new pages per minute for a card.
    package static let maximumPerCard = 12
    /// The maximum number of addresses, and of cards, that are tracked at once.
    package static let maximumTracked = 4_096
    /// With the prefix `__Host-`, a browser accepts the cookie only from this host and sends it
    /// only over TLS.
    static let cookieName = "__Host-tapcard-card"
    private static let formType = "application/x-www-form-urlencoded"

    private struct State {
        var addresses = RequestLimits<String>(
            maximum: CustomerRoutes.maximumPerAddress, tracking: CustomerRoutes.maximumTracked)
        var cards = RequestLimits<CardUID>(
            maximum: CustomerRoutes.maximumPerCard, tracking: CustomerRoutes.maximumTracked)
        var shown = ShownCards()
    }

    private let keys: CustomerKeys
    private let ledger: CustomerLedger
    private let clocks: Clocks
    private let watch: CustomerWatch
    private let takesOfflinePayments: Bool
    private let state = Guarded(State())

    package init(
        keys: CustomerKeys, ledger: CustomerLedger, clocks: Clocks, watch: CustomerWatch,
        takesOfflinePayments: Bool = false
    ) {
        (self.keys, self.ledger, self.clocks, self.watch) = (keys, ledger, clocks, watch)
        self.takesOfflinePayments = takesOfflinePayments
    }

    /// The reply to a request whose host name is not this server's.
    package func replyToWrongHost() -> WebReply { misdirected(CustomerPage.refused) }

    /// The reply to a request for one of this server's host names.
    package func reply(to request: WebRequest) -> WebReply {
        guard request.path == TapMessage.path else { return misdirected(CustomerPage.notFound) }
        let allowed = "GET, HEAD, OPTIONS, POST"
        switch request.method {
        case "GET":
            // Neither the keys nor the ledger is used, so a link preview reveals nothing and does
            // not use up the single-use address.
            guard let message = TapMessage(request.query) else {
                watch.note(.form)
                return .now(CustomerPage.refused)
            }
            watch.note(.opened)
            return .now(CustomerPage.form(message))
        case "POST": return .later { await card(for: request) }
        case "OPTIONS": return .now(WebResponse(204, headers: [("Allow", allowed)]))
        default: return misdirected(CustomerPage.wrongMethod(allowed))
        }
    }

    private func misdirected(_ response: WebResponse) -> WebReply {
        watch.note(.elsewhere)
        return .now(response)
    }

    private func card(for request: WebRequest) async -> WebResponse {
        guard let message = CustomerRoutes.message(in: request) else {
            return refused(.form, request)
        }
        guard let card = keys.card(in: message) else { return refused(.code, request) }
        do throws(LedgerError) {
            let page = try await shown(card, to: request, at: clocks.uptime())
            watch.noteLedgerAnswered()
            return page
        } catch {
            watch.note(.ledger)
            watch.noteLedgerFailed(error)
            // The ledger may have recorded the counter even though its response was lost, so the
            // address is treated as already used.
            return error.kind == .outcomeUnknown
                ? CustomerPage.again : CustomerPage.unavailable(message)
        }
    }

    /// Refuses a request and counts the refusal toward the limit for the client's network address.
    /// A page opened with a valid new code counts only toward that card's limit, because many
    /// customers may share an address, and one of them must not be able to lock out the others.
    private func refused(_ reason: CustomerWatch.Outcome, _ request: WebRequest) -> WebResponse {
        if reason == .code { watch.recordWrongCode() }
        let now = clocks.uptime()
        if let wait = state.withLock({ $0.addresses.admit(request.client, at: now) }) {
            return rateLimited(for: wait)
        }
        watch.note(reason)
        return reason == .counter ? CustomerPage.again : CustomerPage.refused
    }

    private func rateLimited(for seconds: Int) -> WebResponse {
        watch.note(.limited)
        return CustomerPage.tooMany(seconds)
    }

    private func shown(
        _ card: VerifiedCard, to request: WebRequest, at now: Int64
    ) async throws(LedgerError) -> WebResponse {
        let (uid, counter) = (card.uid, card.counter)
        let cookies = CustomerRoutes.cookies(of: request)
        // The card is read first, so that nothing can fail once the address has been used. An
        // unknown card gets the same response as a wrong code, so that nobody can find out which
        // card numbers exist.
        guard let statement = try await ledger.statement(of: uid, at: clocks.now()) else {
            return refused(.code, request)
        }
        if let last = statement.lastShown, last >= counter {
            let isSameBrowser = state.withLock { state in
                cookies.contains {
                    state.shown.has($0, uid, counter, statement.account, at: now)
                }
            }
            guard last == counter, isSameBrowser else {
                return refused(.counter, request)
            }
            watch.note(.again)
            return CustomerPage.statement(statement, takesOfflinePayments)
        }
        // The page is not counted before this point, so that someone with an old address cannot use
        // up the card's limit.
        if let wait = state.withLock({ $0.cards.admit(uid, at: now) }) {
            return rateLimited(for: wait)
        }
        // Another browser or server may have shown this page since the ledger was read.
        guard try await ledger.raise(counter, of: uid) else {
            return refused(.counter, request)
        }
        let cookie = state.withLock {
            $0.shown.keep(uid, counter, statement.account, at: clocks.uptime())
        }
        watch.note(.fresh)
        return CustomerPage.statement(
            statement, takesOfflinePayments,
            cookie:
                "\(CustomerRoutes.cookieName)=\(cookie); Path=/; Max-Age=\(ShownCards.seconds); "
                + "Secure; HttpOnly; SameSite=Strict")
    }

    /// The message in a submitted form; nil for any other body.
    private static func message(in request: WebRequest) -> TapMessage? {
        let types = request.headers.all("Content-Type")
        let type = types.first?.split(separator: ";").first?.lowercased()
        // The body of a form has the same syntax as a query, so the same parser reads it.
        guard types.count == 1, type == formType, request.query.isEmpty,
            let form = RequestTarget(Array("\(TapMessage.path)?".utf8) + request.body)
        else { return nil }
        return TapMessage(form.query)
    }

    private static func cookies(of request: WebRequest) -> [String] {
        request.headers.all("Cookie").flatMap { $0.split(separator: ";") }.compactMap { part in
            let sides = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            return sides.count == 2 && sides[0] == cookieName ? String(sides[1]) : nil
        }
    }
}
