/// The first line of a request and its headers.
package struct RequestHead: Hashable {
    /// The headers that affect a decision and must have only one value: if there were two, a proxy
    /// along the way might have checked the other one.
    private static let single = [
        "Host", "Origin", "Sec-Fetch-Site", "Sec-Fetch-Mode", "Authorization", "Content-Type",
    ]
    /// The maximum number of parts in a query, and the maximum number of cookies.
    package static let maximumParts = 100

    package let method: String
    package let target: RequestTarget
    package let headers: WebHeaders

    /// Throws the refusal for an invalid head, so that this server and every proxy along the way
    /// agree on where a request ends.
    package init(
        method: String, target: [UInt8], headers: WebHeaders, bodyBytes: Int
    ) throws(Refusal) {
        guard method.isToken else { throw Refusal(400, "The method is invalid.") }
        guard let target = RequestTarget(target) else {
            throw Refusal(400, "The path is invalid.")
        }
        guard headers.fields.allSatisfy({ $0.name.isToken }) else {
            throw Refusal(400, "A header name is invalid.")
        }
        guard headers.fields.allSatisfy({ $0.value.isHeaderValue }) else {
            throw Refusal(400, "A header value contains a control character.")
        }
        for name in RequestHead.single where headers.all(name).count > 1 {
            throw Refusal(400, "The header \(name) appears more than once.")
        }
        guard target.query.count <= RequestHead.maximumParts else {
            throw Refusal(
                431, "The request has more than \(RequestHead.maximumParts) query parameters.")
        }
        // One header can contain several cookies, separated by semicolons.
        let cookies = headers.all("Cookie").reduce(0) { count, header in
            count + header.utf8.count { $0 == UInt8(ascii: ";") } + 1
        }
        guard cookies <= RequestHead.maximumParts else {
            throw Refusal(431, "The request has more than \(RequestHead.maximumParts) cookies.")
        }
        // If the two differ, a proxy may have used one of them for routing, while this server uses
        // the other.
        if let host = target.host, host.lowercased() != headers["Host"]?.lowercased() {
            throw Refusal(400, "The host in the request line differs from the Host header.")
        }
        let lengths = headers.all("Content-Length")
        let encodings = headers.all("Transfer-Encoding")
        // Two lengths, or a length and chunks, can be used to smuggle a request past a proxy.
        guard lengths.count + encodings.count <= 1 else {
            throw Refusal(400, "The length of the body is given more than once.")
        }
        if let encoding = encodings.first {
            // Chunked bodies are refused, because libmicrohttpd treats a bare LF as the end of a
            // chunk's line and accepts folded trailers.
            throw encoding.lowercased() == "chunked"
                ? Refusal(411, "The Content-Length header is required.")
                : Refusal(501, "The transfer encoding is not supported.")
        }
        if let length = lengths.first {
            guard length.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let bytes = Int(length)
            else { throw Refusal(400, "The Content-Length header is not a number.") }
            // The body is refused before any of it is read.
            guard bytes <= bodyBytes else { throw Refusal.tooLong(bodyBytes) }
        }
        self.method = method
        self.target = target
        self.headers = headers
    }

    /// A response that is sent without calling the handler.
    package struct Refusal: Error, Hashable {
        package let status: Int
        package let text: String

        init(_ status: Int, _ text: String) {
            self.status = status
            self.text = text
        }

        static let ambiguous = Refusal(
            400,
            "A header line is folded, a line does not end with CR LF, or the request contains a "
                + "NUL byte.")

        static func tooLong(_ bodyBytes: Int) -> Refusal {
            Refusal(413, "The body is larger than \(bodyBytes) bytes.")
        }

        static func headersTooLong(_ headerBytes: Int) -> Refusal {
            Refusal(431, "The headers are larger than \(headerBytes) bytes.")
        }

        static let hostMissing = Refusal(400, "The Host header is missing.")

        static let tooManyBodies = Refusal(
            503, "Too many uploads are in progress; try again.")

        static let stopping = Refusal(503, "The server is stopping.")
    }
}

extension String {
    /// Whether the string has only printable characters, spaces, tabs, and bytes beyond ASCII.
    fileprivate var isHeaderValue: Bool {
        utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
    }

    /// Whether the string is an HTTP token: one or more letters, digits, and certain symbols.
    fileprivate var isToken: Bool {
        let symbols = "!#$%&'*+-.^_`|~".utf8
        return !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"):
                    true
                default: symbols.contains(byte)
                }
            }
    }
}
