import CardCryptography
import Ledger
import Tags
import TapcardDomain
import TextCodecs
import WebServer

/// The pages for a customer's browser. If scripts are turned off, the customer has to press the
/// button that the script would press.
enum CustomerPage {
    /// The form that requests a card's page. A script submits it once the user sees it. A link
    /// preview does not submit it, so the preview does not use up the address.
    static func form(_ message: TapMessage) -> WebResponse {
        page(200, CustomerWords.title, shell(CustomerWords.title, CustomerWords.lead, message))
    }

    /// A card's balance and recent activity. The response sets `cookie`, if given. If tills accept
    /// offline payments, a hint says that those will appear later.
    static func statement(
        _ statement: CardStatement, _ takesOfflinePayments: Bool, cookie: String? = nil
    ) -> WebResponse {
        let notes = [
            CustomerWords.of(statement.status),
            statement.held.minorUnits > 0
                ? CustomerWords.held(CustomerWords.text(statement.held)) : nil,
        ].compactMap { $0 }.map { "<p class=\"note\">\(escaped($0))</p>" }
        // No name, card number, or ID is shown, because someone may be looking over the customer's
        // shoulder.
        let rows = statement.movements.map { movement in
            "<li><span>\(escaped(CustomerWords.of(movement.kind)))</span>"
                + "<b>\(escaped(CustomerWords.change(movement.amount)))</b>"
                + "<small>\(time(movement.at))</small></li>"
        }
        let list =
            rows.isEmpty
            ? "<p>\(CustomerWords.noMovements)</p>" : "<ul>\(rows.joined())</ul>"
        let amount = escaped(CustomerWords.text(statement.balance))
        return page(
            200, CustomerWords.balance,
            """
            <h1 tabindex="-1"><small>\(CustomerWords.balance)</small> \(amount)</h1>
            <p class="as-of">\(CustomerWords.asOf) \(time(statement.asOf))</p>
            \(notes.joined(separator: "\n"))
            <h2>\(CustomerWords.movements)</h2>
            \(list)
            \(takesOfflinePayments ? "<p class=\"hint\">\(CustomerWords.later)</p>" : "")
            """, headers: cookie.map { [("Set-Cookie", $0)] } ?? [])
    }

    /// The response to every code that does not come from one of the issuer's cards. All of these
    /// codes get the same response, so that guessing reveals nothing.
    static let refused = message(403, CustomerWords.refused, CustomerWords.refusedExplanation)
    static let again = message(410, CustomerWords.again, CustomerWords.againExplanation)
    static let notFound = message(404, CustomerWords.notFound, CustomerWords.refusedExplanation)

    static func tooMany(_ seconds: Int) -> WebResponse {
        message(
            429, CustomerWords.tooMany, CustomerWords.wait(seconds),
            headers: [("Retry-After", String(seconds))])
    }

    static func wrongMethod(_ allowed: String) -> WebResponse {
        message(
            405, CustomerWords.notFound, CustomerWords.refusedExplanation,
            headers: [("Allow", allowed)])
    }

    /// The response when the ledger cannot be read. The address is not used up, so the customer can
    /// try again.
    static func unavailable(_ message: TapMessage) -> WebResponse {
        page(
            503, CustomerWords.unavailable,
            shell(
                CustomerWords.unavailable, CustomerWords.unavailableExplanation, message,
                autoSubmits: false),
            headers: [("Retry-After", "60")])
    }

    /// The response to a request that the web server refused before it reached a handler.
    static func refusal(_ status: Int) -> WebResponse {
        message(status, CustomerWords.refused, CustomerWords.refusedExplanation)
    }

    private static func shell(
        _ title: String, _ lead: String, _ message: TapMessage, autoSubmits: Bool = true
    ) -> String {
        let fields = message.fields.map {
            "<input type=\"hidden\" name=\"\($0.name)\" value=\"\(escaped($0.value))\">"
        }
        let mark = autoSubmits ? " data-auto-submit" : ""
        return """
            <h1 tabindex="-1">\(title)</h1>
            <p>\(lead)</p>
            <form method="post" action="\(TapMessage.path)"\(mark)>
            \(fields.joined())
            <button>\(CustomerWords.show)</button>
            <p role="status" data-asking="\(CustomerWords.asking)" \
            data-no-answer="\(CustomerWords.noAnswer)"></p>
            </form>
            """
    }

    private static func message(
        _ status: Int, _ title: String, _ reason: String, headers: [(String, String)] = []
    ) -> WebResponse {
        page(
            status, title, "<h1 tabindex=\"-1\">\(title)</h1>\n<p>\(reason)</p>", headers: headers)
    }

    private static func page(
        _ status: Int, _ title: String, _ content: String, headers: [(String, String)] = []
    ) -> WebResponse {
        let text = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <title>\(title)</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="robots" content="noindex, nofollow">
            <link rel="icon" href="data:,">
            <style>\(CustomerFiles.style)</style>
            </head>
            <body>
            <main>
            \(content)
            </main>
            <script>\(CustomerFiles.script)</script>
            </body>
            </html>

            """
        return WebResponse(
            status, headers: [("Content-Type", "text/html; charset=utf-8")] + headers,
            body: .bytes(Array(text.utf8)))
    }

    /// A time in UTC, which a script converts to the phone's time zone.
    private static func time(_ time: Timestamp) -> String {
        guard let civil = CivilTime(time) else { return "" }
        return "<time datetime=\"\(civil.date)T\(civil.clock)Z\">"
            + "\(CustomerWords.text(civil))</time>"
    }

    /// The text with HTML's special characters escaped.
    static func escaped(_ text: String) -> String {
        // The ampersand comes first; otherwise, the ampersands of the other entities would be
        // escaped, too.
        [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;")]
            .reduce(text) { $0.replacing($1.0, with: $1.1) }
    }
}

extension CustomerPage {
    /// The security headers of every response. The policy allows only the page's own style sheet
    /// and script, identified by their hashes.
    static func securityHeaders(isEncrypted: Bool) -> [WebField] {
        let policy =
            "default-src 'none'; script-src \(source(CustomerFiles.script)); "
            + "style-src \(source(CustomerFiles.style)); img-src data:; connect-src 'self'; "
            + "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        let fields = [
            WebField("Content-Security-Policy", policy), WebField("Cache-Control", "no-store"),
            WebField("Referrer-Policy", "no-referrer"),
            WebField("X-Content-Type-Options", "nosniff"),
            WebField("X-Robots-Tag", "noindex, nofollow, noarchive"),
            WebField("Cross-Origin-Opener-Policy", "same-origin"),
            WebField("Cross-Origin-Resource-Policy", "same-origin"),
        ]
        let oneYear = 31_536_000
        return isEncrypted
            ? fields + [WebField("Strict-Transport-Security", "max-age=\(oneYear)")] : fields
    }

    private static func source(_ text: String) -> String {
        // A policy accepts the URL-safe alphabet but requires the padding that Base64URL omits.
        "'sha256-\(Base64URL.encode(SHA256.digest(Array(text.utf8))))='"
    }
}
