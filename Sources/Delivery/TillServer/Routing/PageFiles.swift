import CardCryptography
import TextCodecs
import TillPage
import WebServer

/// The till page's files, which are embedded in this program.
///
/// The style sheet is inlined in the page, because the browser paints nothing without it. As a
/// separate file, it would be queued behind the scripts.
@safe struct PageFiles: Sendable {
    private static let page = "index.html"
    private static let display = "display.html"
    private static let style = "page.css"
    /// The file name suffix of the style sheets, which are joined in the order of the embedded
    /// files.
    private static let styles = ".css"

    struct File: Sendable {
        let path: String
        let tag: String
        let whole: WebResponse
        let compressed: WebResponse?
        /// The response for a browser that already has the file.
        let known: WebResponse

        init(_ name: String, _ bytes: [UInt8], _ securityHeaders: [(String, String)]) {
            path = PageFiles.path(of: name)
            // Part of the hash is enough, because the tag only has to change when the file does.
            let digits = SHA256.digest(bytes).prefix(8).map { String($0, radix: 16) }.joined()
            tag = "W/\"\(digits)\""
            let smaller = Deflate.compress(bytes)
            let headers =
                [
                    ("Content-Type", PageFiles.type(of: name)), ("ETag", tag),
                    // The browser may keep the file, but must ask each time whether its copy is
                    // current.
                    ("Cache-Control", "no-cache"),
                ] + (smaller == nil ? [] : [("Vary", "Accept-Encoding")]) + securityHeaders
            whole = WebResponse(200, headers: headers, body: .bytes(bytes)).preparedForReuse()
            compressed = smaller.map {
                WebResponse(
                    200, headers: headers + [("Content-Encoding", "deflate")], body: .bytes($0)
                ).preparedForReuse()
            }
            known = WebResponse(304, headers: headers).preparedForReuse()
        }
    }

    /// The files, shared by all tills so that they are compressed only once.
    static let all = PageFiles()

    let files: [File]

    private init() {
        var contents: [(name: String, bytes: [UInt8])] = []
        for index in 0..<till_page_count {
            let file = unsafe till_page_file(index)
            let name = unsafe String(cString: file.name)
            let bytes = unsafe [UInt8](UnsafeBufferPointer(start: file.bytes, count: file.count))
            contents.append((name, bytes))
        }
        let style = contents.filter { $0.name.hasSuffix(Self.styles) }.flatMap(\.bytes)
        let page = Self.pageText(
            contents.first { $0.name == Self.page }?.bytes ?? [], inlining: style)
        let securityHeaders = Self.securityHeaders(of: page)
        files = contents.filter { !$0.name.hasSuffix(Self.styles) }.map { name, bytes in
            switch name {
            case Self.page: File(name, [UInt8](page.utf8), securityHeaders)
            // The display is a page of its own, with its own style sheet and script.
            case Self.display:
                File(name, bytes, Self.securityHeaders(of: String(decoding: bytes, as: UTF8.self)))
            default: File(name, bytes, securityHeaders)
            }
        }
    }

    private static func path(of name: String) -> String {
        switch name {
        case page: "/"
        case display: "/display"
        default: "/" + name
        }
    }

    /// The page with the link to the style sheet replaced by the style sheet itself.
    private static func pageText(_ page: [UInt8], inlining style: [UInt8]) -> String {
        let text = String(decoding: style, as: UTF8.self)
        return String(decoding: page, as: UTF8.self).replacing(
            "<link rel=\"stylesheet\" href=\"/\(Self.style)\">", with: "<style>\(text)</style>")
    }

    /// The security headers of a page file. The page's policy allows only its own style sheet and
    /// script.
    private static func securityHeaders(of page: String) -> [(String, String)] {
        let policy =
            "default-src 'none'; script-src 'self' \(source("script", in: page)); "
            + "style-src \(source("style", in: page)); img-src 'self' data:; "
            + "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
            + "frame-ancestors 'none'"
        return [
            ("Content-Security-Policy", policy),
            ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ]
    }

    /// The hash of the page's last element with this name, as a policy source.
    private static func source(_ element: String, in page: String) -> String {
        let text =
            page.split(separator: "<\(element)>").last?
            .split(separator: "</\(element)>").first ?? ""
        // A policy accepts the URL-safe alphabet but requires the padding that Base64URL omits.
        return "'sha256-\(Base64URL.encode(SHA256.digest([UInt8](text.utf8))))='"
    }

    func add(to routes: inout TillRoutes) {
        for file in files {
            routes.add(file: file.path) { request in file.answer(request) }
        }
    }

    private static func type(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        case "webmanifest": "application/manifest+json"
        default: "application/octet-stream"
        }
    }
}

extension PageFiles.File {
    /// The file, or 304 if the browser's copy is current.
    fileprivate func answer(_ request: WebRequest) -> WebResponse {
        let tags = request.headers["If-None-Match"].map(words)
        // The comparison is weak, because the file is the same whether or not it is compressed.
        let isKnown =
            tags?.contains { $0 == "*" || $0.trimmingPrefix("W/") == tag.trimmingPrefix("W/") }
            ?? false
        if isKnown { return known }
        guard let compressed, let codings = request.headers["Accept-Encoding"] else { return whole }
        return words(codings).contains("deflate") ? compressed : whole
    }

    /// The items of a comma-separated header.
    private func words(_ list: String) -> [String] {
        list.split(separator: ",").map { part in
            String(part.drop { $0 == " " }.prefix { $0 != " " })
        }
    }
}
