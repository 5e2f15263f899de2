import Testing
import WebServer

@Suite("Heads of HTTP requests") struct RequestHeadTests {
    private func status(
        _ fields: [(String, String)], method: String = "POST", target: String = "/x"
    ) -> Int? {
        do throws(RequestHead.Refusal) {
            _ = try RequestHead(
                method: method, target: Array(target.utf8),
                headers: WebHeaders(fields.map { WebField($0.0, $0.1) }), bodyBytes: 1000)
            return nil
        } catch {
            return error.status
        }
    }

    @Test("A body needs exactly one length and no transfer encoding")
    func aBodyHasOneLength() {
        #expect(status([("Content-Length", "5")]) == nil)
        #expect(status([("Transfer-Encoding", "Chunked")]) == 411)
        #expect(status([("Content-Length", "5"), ("content-length", "5")]) == 400)
        #expect(status([("Content-Length", "5"), ("Transfer-Encoding", "chunked")]) == 400)
        #expect(status([("Transfer-Encoding", "x"), ("TRANSFER-ENCODING", "chunked")]) == 400)
    }

    @Test(
        "A length that is not a plain number is refused",
        arguments: ["", "+5", "-1", "5 ", "5,5", "0x5", "５", "99999999999999999999"])
    func aLengthIsANumber(_ length: String) {
        #expect(status([("Content-Length", length)]) == 400)
    }

    @Test("A body beyond the limit is refused by its announced length")
    func aLongBodyIsRefusedBeforeItComes() {
        #expect(status([("Content-Length", "1000")]) == nil)
        #expect(status([("Content-Length", "1001")]) == 413)
    }

    @Test(
        "An unsupported transfer encoding is refused",
        arguments: ["gzip", "gzip, chunked", "chunked, chunked", "chunked;x", "identity", ""])
    func whatIsNoLengthIsRefused(_ encoding: String) {
        #expect(status([("Transfer-Encoding", encoding)]) == 501)
    }

    @Test(
        "A header value with control characters is refused, except for tabs",
        arguments: ["a\u{0}", "\u{0}", "a\rb", "a\nb", "\u{1F}", "\u{7F}"])
    func aValueIsOneLine(_ value: String) {
        #expect(status([("X", value)]) == 400)
        #expect(status([("X", "a\tb ä")]) == nil)
    }

    @Test("The host of an absolute address must match the Host header")
    func theHostOfAWholeAddressIsTheHeadersHost() {
        let host = [("Host", "x:1")]
        #expect(status(host, target: "http://X:1/y") == nil)
        for other in ["http://x/y", "http://y:1/y", "http://u@x:1/y", "https:///y"] {
            #expect(status(host, target: other) == 400)
        }
        #expect(status([], target: "http://x/y") == 400)
    }

    @Test(
        "A header name or method that is not a token is refused",
        arguments: ["", "Content-Length ", "a b", "a\t", "a:b", "ä", "a\"", "a/b"])
    func aNameIsAWord(_ name: String) {
        #expect(status([(name, "5")]) == 400)
        #expect(status([], method: name) == 400)
    }

    @Test("Two Host headers are refused")
    func thereIsOneHost() {
        #expect(status([("Host", "a"), ("host", "a")]) == 400)
    }

    @Test("A path that cannot be decoded is refused")
    func thePathIsOneThatCanBeServed() {
        #expect(status([], target: "/%00") == 400)
    }
}
