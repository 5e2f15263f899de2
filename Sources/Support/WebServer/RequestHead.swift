/// The first line of a request and its headers.
package struct RequestHead: Hashable {
    package let method: String
    package let target: RequestTarget
    package let headers: WebHeaders

    /// Throws the answer where something is wrong, so that a request ends for this server where it
    /// ends for everybody between it and the client.
    package init(
        method: String, target: [UInt8], version: String, headers: WebHeaders, bodyBytes: Int
    ) throws(Refusal) {
        guard method.isToken else { throw Refusal(400, "The method is no word.") }
        guard let target = RequestTarget(target) else {
            throw Refusal(400, "The path is none that is served.")
        }
        guard headers.fields.allSatisfy({ $0.name.isToken }) else {
            throw Refusal(400, "The name of a header is no word.")
        }
        guard headers.all("Host").count <= 1 else {
            throw Refusal(400, "There is more than one Host.")
        }
        let lengths = headers.all("Content-Length")
        let encodings = headers.all("Transfer-Encoding")
        guard lengths.count + encodings.count <= 1 else {
            throw Refusal(400, "The length of the body is given more than once.")
        }
        if let encoding = encodings.first {
            guard encoding.lowercased() == "chunked" else {
                throw Refusal(501, "The body is encoded in a way that is not known here.")
            }
            guard version == "HTTP/1.1" else {
                throw Refusal(400, "\(version) has no chunked bodies.")
            }
        }
        if let length = lengths.first {
            guard length.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let bytes = Int(length)
            else { throw Refusal(400, "The length of the body is no number.") }
            guard bytes <= bodyBytes else { throw Refusal.tooLong(bodyBytes) }
        }
        self.method = method
        self.target = target
        self.headers = headers
    }

    /// What is answered instead of asking the handler.
    package struct Refusal: Error, Hashable {
        package let status: Int
        package let text: String

        init(_ status: Int, _ text: String) {
            self.status = status
            self.text = text
        }

        static func tooLong(_ bodyBytes: Int) -> Refusal {
            Refusal(413, "A body of more than \(bodyBytes) bytes is not taken.")
        }

        static func headersTooLong(_ headerBytes: Int) -> Refusal {
            Refusal(431, "Headers of more than \(headerBytes) bytes are not taken.")
        }

        static let tooManyBodies = Refusal(
            503, "Too many bodies are being taken at this moment. Try again.")

        static let stopping = Refusal(503, "The server is being stopped.")
    }
}

extension String {
    /// What HTTP calls a token: letters, digits and some signs, at least one of them.
    fileprivate var isToken: Bool {
        let signs = "!#$%&'*+-.^_`|~".utf8
        return !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"):
                    true
                default: signs.contains(byte)
                }
            }
    }
}
