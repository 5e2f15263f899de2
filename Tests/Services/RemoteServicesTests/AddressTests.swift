import RemoteServices
import TapcardDomain
import Testing

@Suite("Addresses and header lines")
struct AddressTests {
    @Test(
        "The address of a service is normalized, and its host is known",
        arguments: [
            ("https://api.o2.sk", "https://api.o2.sk", "api.o2.sk"),
            ("HTTP://127.0.0.1:8080/lottery//", "http://127.0.0.1:8080/lottery", "127.0.0.1:8080"),
            ("http://[::1]:80/a%20b", "http://[::1]:80/a%20b", "[::1]:80"),
            (
                "https://sub-domain.lottery_.example:443/a/~b/c;d=e",
                "https://sub-domain.lottery_.example:443/a/~b/c;d=e",
                "sub-domain.lottery_.example:443"
            ),
        ])
    func good(_ text: String, _ normal: String, _ host: String) throws {
        let address = try ServiceAddress(text)
        #expect(address.text == normal)
        #expect(address.host == host)
    }

    @Test(
        "An invalid address is refused without showing its password",
        arguments: [
            "", "api.o2.sk", "ftp://api.o2.sk", "file:///etc/passwd", "https://", "https:///path",
            "https://user:secret@api.o2.sk", "https://api.o2.sk/?a=1", "https://api.o2.sk/#top",
            "https://api.o2.sk/a b", "https://api.o2.sk/\r\nHost: other", "https://b\u{F6}se.sk",
            "https://api.o2.sk:", "https://api.o2.sk:0", "https://api.o2.sk:65536",
            "https://api.o2.sk:80x", "https://[::1", "https://[::1]x", "https://[o2.sk]",
            "https://[127.0.0.1]", "https://api..o2.sk", "https://.o2.sk", "https://:80/",
            "https://" + String(repeating: "a", count: 2_048),
        ])
    func bad(_ text: String) {
        let failure = #expect(throws: ServiceError.self) { try ServiceAddress(text) }
        #expect(failure?.kind == .badAddress)
        #expect(failure?.detail.contains("secret") == false)
    }

    @Test(
        "A header value that is empty, too long or could end its line is refused",
        arguments: [
            "a\r\nHost: other", "a\nb", "a\rb", "a\u{0}b", "", " a", "a ", "\u{E9}",
            String(repeating: "a", count: 8_193),
        ])
    func injection(_ value: String) {
        #expect(HTTPHeader("access_token", value) == nil)
        #expect(MastermindToken(value) == nil)
    }

    @Test("A header name must be a token", arguments: ["", "a:b", "a b", "a\r\n", "é"])
    func names(_ name: String) {
        #expect(HTTPHeader(name, "value") == nil)
    }

    @Test("A head is read line by line, and invalid lines are skipped")
    func head() {
        var head = HTTPHead()
        for line in [
            "HTTP/1.1 100 Continue\r\n", "X-Early: 1\r\n", "HTTP/1.1 200 OK\r\n",
            "ETag: \t\"v1\" \r\n", "No colon\r\n", " folded: yes\r\n", ": nameless\r\n",
            "Bad name: 1\r\n", "X-Bell: \u{7}\r\n", "Empty:\r\n", "\r\n",
        ] { head.take(Array(line.utf8)) }
        #expect(head["etag"] == "\"v1\"")
        #expect(head["empty"] == "")
        for name in ["x-early", " folded", "folded", "", "bad name", "x-bell"] {
            #expect(head[all: name].isEmpty, "\(name)")
        }
    }

    @Test(
        "The error for a redirect shows its target without anything secret",
        arguments: [
            ("https://other.example/here", "https://other.example/here"),
            ("/here", "/here"),
            ("https://other.example/here?code=secret", "https://other.example/here"),
            ("https://other.example/#access_token=secret", "https://other.example/"),
            ("https://other.example#secret?x", "https://other.example"),
            ("https://user:secret@other.example/here", "https://other.example/here"),
            ("https://secret@other.example", "https://other.example"),
            ("https://a@secret@other.example/", "https://other.example/"),
            ("//user:secret@other.example/", "//other.example/"),
            (#"https:\\user:secret@other.example\"#, #"https:\\other.example\"#),
            ("https:user:secret@other.example", "other.example"),
        ])
    func redirect(_ location: String, _ shown: String) async throws {
        let transport = ScriptedTransport(.status(302, "Location: \(location)"))
        let service = RemoteActivation(
            try ServiceAddress("http://api.example"), through: transport,
            in: transport.dependencies)
        let code = try #require(ScratchCode(bytes: [UInt8](repeating: 7, count: 16)))
        let error = await #expect(throws: ServiceError.self) {
            try await service.activate(code)
        }
        #expect(error?.kind == .redirected)
        #expect(
            error?.detail
                == "api.example: it redirects to \(shown) (status 302); redirects are not followed")
        #expect(!HTTPRequest(.get, location).description.contains("secret"))
    }
}
