import Testing

/// A self-signed certificate and its key: files of a till.
struct Certificate {
    let path: String
    let key: String

    init(_ till: Till, _ name: String = "certificate") throws {
        (path, key) = (till.file("\(name).pem"), till.file("\(name).key.pem"))
        let openssl = try ChildProcess(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
                "-keyout", key, "-out", path,
            ], environment: [:], folder: till.home)
        try #require(try openssl.end().status == 0)
    }
}
