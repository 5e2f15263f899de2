import Testing
import WebServer

@Suite("Targets of HTTP requests") struct RequestTargetTests {
    @Test(
        "A valid target is decoded into its path and query",
        arguments: [
            ("/", "/", []),
            ("/a/b", "/a/b", []),
            ("/%41%7e?a=%2F", "/A~", [WebField("a", "/")]),
            ("/a+b?c+d=e+f", "/a+b", [WebField("c d", "e f")]),
            ("/x?", "/x", []),
            (
                "/x?a&b=&=c&a=1=2", "/x",
                [("a", ""), ("b", ""), ("", "c"), ("a", "1=2")].map(WebField.init)
            ),
            ("/x?a=%0A%3D?", "/x", [WebField("a", "\n=?")]),
            ("//x", "//x", []),
            ("/...", "/...", []),
            ("http://example.org/x", "/x", []),
            ("https://example.org:1/x?y", "/x", [WebField("y", "")]),
        ])
    func isDecoded(_ text: String, _ path: String, _ query: [WebField]) {
        let target = RequestTarget(Array(text.utf8))
        #expect(target?.path == path)
        #expect(target?.query == query)
    }

    @Test(
        "An invalid target is refused",
        arguments: [
            "", "x", "*", "?x", "example.org:80", "ftp://example.org/x", "http://example.org",
            "http://x?y=/z",
            "http://", "/a b", "/a#b", "/\u{7F}", "/ä", "/%", "/%4", "/%4g", "/%g4", "/%+4", "/%00",
            "/x?a=%00", "/x?%zz", "/x?a=%", "/%C3", "/%ff", "/x?a=%80", "/%0a", "/%7f",
            "/%ED%A0%80",
            "/..", "/.", "/a/../b", "/a/./b", "/%2e%2e/x", "/a%2f..%2fb", "/a%2Fb", "/%2f",
        ])
    func isRefused(_ text: String) {
        #expect(RequestTarget(Array(text.utf8)) == nil)
    }

    @Test("Every two-byte path with a byte outside printable ASCII is refused")
    func everyByteIsAnswered() {
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                let target = RequestTarget([UInt8(ascii: "/"), first, second])
                let isPlain = [first, second].allSatisfy { (0x21...0x7E).contains($0) }
                #expect(isPlain || target == nil)
            }
        }
    }
}
