import OperatingSystem
package import TapcardCore
package import Verbs
package import WebServer

/// The names of a certificate file and its key file, both PEM.
package struct TLSFiles: Sendable, Hashable {
    let certificate: String
    let key: String

    /// The size limit of a PEM file; certificates with long chains are smaller.
    private static let longestPEM = 1 << 20

    /// Nil when neither is named. `group` stands before the names of the options.
    package init?(
        _ certificate: String?, _ key: String?, of group: String = "", orSay meaning: String
    ) throws(TapcardError) {
        if certificate == nil, key == nil { return nil }
        guard let certificate, let key else {
            throw TapcardError(
                .usage, "A certificate needs its key, and a key its certificate.",
                meaning: meaning,
                advice: "Name both, with --\(group)tls-certificate and --\(group)tls-key.")
        }
        (self.certificate, self.key) = (certificate, key)
    }

    /// The content of both files. `meaning` goes into the error when they are invalid.
    package func read(orSay meaning: String) throws(TapcardError) -> WebServerSettings.TLS {
        let tls = WebServerSettings.TLS(
            certificatePEM: try TLSFiles.text(certificate, of: "certificate", meaning),
            keyPEM: try TLSFiles.text(key, of: "private key", meaning))
        try requireSecret(key, meaning)
        try requireFast(tls.keyPEM, meaning)
        return tls
    }

    /// Refuses RSA keys over 3072 bits (1,766 bytes; elliptic-curve keys take a few hundred): their
    /// handshakes are so slow that 100 new clients a second would block everyone else.
    private func requireFast(_ text: String, _ meaning: String) throws(TapcardError) {
        let begin = text.firstRange(of: "PRIVATE KEY-----")?.upperBound ?? text.endIndex
        let base64 = text[begin...].prefix { $0 != "-" }.filter { !$0.isWhitespace }
        let mostBytes = 2_000
        guard base64.count / 4 * 3 > mostBytes else { return }
        throw TapcardError(
            .fileUnusable, "The private key \(key) is RSA of more than 3072 bits.",
            meaning: meaning,
            advice:
                "Each new client would keep all others waiting. Use an ECDSA key (P-256), or RSA of "
                + "3072 bits at most.")
    }

    /// Refuses a key that others can read. A key of root may be readable by its group, because
    /// services on some machines share their keys in this way.
    private func requireSecret(_ path: String, _ meaning: String) throws(TapcardError) {
        let file = DurableFile(path)
        let isRoots = (try? file.isLentByRoot()) ?? false
        // A file without readable permissions is refused when it is read.
        switch try? file.exposure(isRoots ? 0o037 : 0o077) {
        case .permitted(let mode):
            throw TapcardError(
                .fileUnusable,
                "The private key \(path) can be read by others (mode \(String(mode, radix: 8))).",
                meaning: meaning,
                advice: "Whoever has it can pass for this machine. If nobody has: chmod 600 \(path)"
            )
        case .foreign:
            throw TapcardError(
                .fileUnusable, "The private key \(path) belongs to another user.",
                meaning: meaning,
                advice: "Whoever has it can pass for this machine. Name a key of your own.")
        case nil: return
        }
    }

    /// The content of a PEM file; the first line must end with the expected label.
    private static func text(
        _ path: String, of content: String, _ meaning: String
    ) throws(TapcardError) -> String {
        let bytes = try translating(DurableFile(path).readStream(limit: longestPEM)) {
            (error: FileError) in
            TapcardError(
                .fileUnusable, "\(path) cannot be read: \(error.detail).", meaning: meaning,
                advice: "Name a file in PEM that you may read.")
        }
        guard let bytes else {
            throw TapcardError(
                .fileUnusable, "There is no file \(path).", meaning: meaning,
                advice: "Name a file in PEM.")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("\(content.uppercased())-----") else {
            throw TapcardError(
                .fileUnusable, "\(path) holds no \(content).", meaning: meaning,
                advice: "Name a certificate and the key that belongs to it, both in PEM.")
        }
        return text
    }
}

extension TapcardError {
    /// The error for a server that cannot be started.
    package init(
        _ error: WebServerError, _ what: String, meaning: String,
        orListen: String = "Choose another --port, or leave it out for one that is free."
    ) {
        let (kind, advice): (TapcardError.Kind, String) =
            switch error.kind {
            case .badCertificate:
                (.fileUnusable, "Name a certificate and the key that belongs to it.")
            case .cannotListen:
                (.failed, orListen)
            case .libraryMissing, .tooFewDescriptors, .noResources:
                (.failed, "Fix that and try again.")
            }
        self.init(kind, "\(what) \(error.detail)", meaning: meaning, advice: advice)
    }
}

extension Parameter<String?> {
    package static var tlsCertificate: Self {
        .option("tls-certificate", "FILE", .file, "TLS certificate in PEM format")
    }
    package static var tlsKey: Self {
        .option(
            "tls-key", "FILE", .file, "TLS private key in PEM format, readable only by its owner")
    }
}

extension Parameter<UInt16?> {
    package static func port(orSay meaning: String) -> Self {
        .option("port", "N", .port(orSay: meaning), "Port to listen on (default: any free port)")
    }
}
