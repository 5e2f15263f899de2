import StationFiles
import Testing

@Suite("Origins of web pages")
struct WebOriginTests {
    @Test(
        "An origin is written as browsers send it",
        arguments: [
            ("https://app.example", "https://app.example"),
            ("HTTPS://App.Example:443", "https://app.example"),
            ("https://app.example:8443", "https://app.example:8443"),
            ("http://localhost", "http://localhost"), ("http://localhost:80", "http://localhost"),
            ("http://127.0.0.1:5173", "http://127.0.0.1:5173"),
            ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
        ])
    func accepted(_ text: String, _ origin: String) {
        #expect(WebOrigin(text)?.description == origin)
    }

    @Test(
        "Anything else is refused",
        arguments: [
            "", "*", "null", "https://*", "https://*.example", "https://", "app.example",
            "http://app.example", "http://localhost.example", "http://127.0.0.2", "http://[::1]",
            "https://app.example/", "https://app.example/path", "https://app.example?x",
            "https://app.example#x", "https://user@app.example", "https://app.example:",
            "https://app.example:0", "https://app.example:+1", "https://app.example:08",
            "https://app.example:65536", "https://app.example:1:2", "https://.example",
            "https://app..example", "https://app.example.", "https://b\u{FC}cher.example",
            "https://app.example https://other.example", "ftp://app.example", "file://",
            "https://app.example\r\nX: y",
            "https://" + String(repeating: "a", count: 246),
        ])
    func refused(_ text: String) {
        #expect(WebOrigin(text) == nil)
    }
}
