import Testing
import WebServer

@Suite struct RequestHeadTests {
    private func status(
        _ fields: [(String, String)], method: String = "POST", version: String = "HTTP/1.1",
        target: String = "/x"
    ) -> Int? {
        do throws(RequestHead.Refusal) {
            _ = try RequestHead(
                method: method, target: Array(target.utf8), version: version,
                headers: WebHeaders(fields.map { WebField($0.0, $0.1) }), bodyBytes: 1000)
            return nil
        } catch {
            return error.status
        }
    }

    @Test func aBodyHasOneLength() {
        #expect(status([("Content-Length", "5")]) == nil)
        #expect(status([("Transfer-Encoding", "Chunked")]) == nil)
        #expect(status([("Content-Length", "5"), ("content-length", "5")]) == 400)
        #expect(status([("Content-Length", "5"), ("Transfer-Encoding", "chunked")]) == 400)
        #expect(status([("Transfer-Encoding", "x"), ("TRANSFER-ENCODING", "chunked")]) == 400)
    }

    @Test(arguments: ["", "+5", "-1", "5 ", "5,5", "0x5", "５", "99999999999999999999"])
    func aLengthIsANumber(_ length: String) {
        #expect(status([("Content-Length", length)]) == 400)
    }

    @Test func aLongBodyIsRefusedBeforeItComes() {
        #expect(status([("Content-Length", "1000")]) == nil)
        #expect(status([("Content-Length", "1001")]) == 413)
    }

    @Test(arguments: ["gzip", "gzip, chunked", "chunked, chunked", "chunked;x", "identity", ""])
    func onlyChunksAreKnown(_ encoding: String) {
        #expect(status([("Transfer-Encoding", encoding)]) == 501)
    }

    @Test func chunksAreOfTheirVersion() {
        #expect(status([("Transfer-Encoding", "chunked")], version: "HTTP/1.0") == 400)
    }

    @Test(arguments: ["", "Content-Length ", "a b", "a\t", "a:b", "ä", "a\"", "a/b"])
    func aNameIsAWord(_ name: String) {
        #expect(status([(name, "5")]) == 400)
        #expect(status([], method: name) == 400)
    }

    @Test func thereIsOneHost() {
        #expect(status([("Host", "a"), ("host", "a")]) == 400)
    }

    @Test func thePathIsOneThatCanBeServed() {
        #expect(status([], target: "/%00") == 400)
    }
}
