import OperatingSystem
package import TapcardCore
package import Verbs
package import WebServer

/// The paths of a certificate file and its key file, both in PEM format.
package struct TLSFiles: Sendable, Hashable {
    let certificate: String
    let key: String

    /// The maximum size of a PEM file. Even certificate files with long chains are smaller.
    private static let maximumPEMBytes = 1 << 20

    /// Returns nil if neither file is given. `group` is the prefix of the option names.
    package init?(
        _ certificate: String?, _ key: String?, of group: String = "", orSay meaning: String
    ) throws(TapcardError) {
        if certificate == nil, key == nil { return nil }
        guard let certificate, let key else {
            throw TapcardError(
                .usage, "A certificate and its private key can only be used together.",
                meaning: meaning,
                advice: "Specify both with --\(group)tls-certificate and --\(group)tls-key.")
        }
        (self.certificate, self.key) = (certificate, key)
    }

    /// Reads both files. The error for invalid files contains `meaning`.
    package func read(orSay meaning: String) throws(TapcardError) -> WebServerSettings.TLS {
        let tls = WebServerSettings.TLS(
            certificatePEM: try TLSFiles.text(certificate, of: "certificate", meaning),
            keyPEM: try TLSFiles.text(key, of: "private key", meaning))
        try requireSecret(key, meaning)
        try requireFastKey(tls.keyPEM, meaning)
        return tls
    }

    /// Refuses RSA keys longer than 3072 bits, because their handshakes are so slow that 100 new
    /// clients per second would block everyone else. A 3072-bit key takes 1,766 bytes, and an
    /// elliptic-curve key takes a few hundred.
    private func requireFastKey(_ text: String, _ meaning: String) throws(TapcardError) {
        // A long RSA key can be recognized by its size, without parsing. Four Base64 characters
        // encode three bytes.
        let begin = text.firstRange(of: "PRIVATE KEY-----")?.upperBound ?? text.endIndex
        let base64 = text[begin...].prefix { $0 != "-" }.filter { !$0.isWhitespace }
        let maximumBytes = 2_000
        guard base64.count / 4 * 3 > maximumBytes else { return }
        throw TapcardError(
            .fileUnusable,
            "The RSA key in \(key) is longer than 3072 bits, which slows down every client.",
            meaning: meaning,
            advice:
                "Use an ECDSA P-256 key, or an RSA key of at most 3072 bits.")
    }

    /// Refuses a key that others can read. A key owned by root may be readable by its group,
    /// because services on some machines share their keys in this way.
    private func requireSecret(_ path: String, _ meaning: String) throws(TapcardError) {
        let file = DurableFile(path)
        let belongsToRoot = (try? file.isOwnedByRoot()) ?? false
        // If the file's permissions cannot be read, reading its contents has already failed.
        switch try? file.exposure(belongsToRoot ? 0o037 : 0o077) {
        case .permitted(let mode):
            throw TapcardError(
                .fileUnusable,
                "The private key in \(path) can be read by others (mode \(String(mode, radix: 8))).",
                meaning: meaning,
                advice:
                    "Anyone who has it can impersonate this server. If nobody has read it, run: "
                    + "chmod 600 \(path)")
        case .foreign:
            throw TapcardError(
                .fileUnusable, "The private key in \(path) belongs to another user.",
                meaning: meaning,
                advice: "Anyone who has it can impersonate this server. Use a key of your own.")
        case nil: return
        }
    }

    /// Reads a PEM file, which must have the expected label.
    private static func text(
        _ path: String, of content: String, _ meaning: String
    ) throws(TapcardError) -> String {
        let bytes = try translating(DurableFile(path).readStream(limit: maximumPEMBytes)) {
            (error: FileError) in
            TapcardError(
                .fileUnusable, "The \(content) in \(path) could not be read: \(error.detail).",
                meaning: meaning, advice: "Specify a PEM file that contains it.")
        }
        guard let bytes else {
            throw TapcardError(
                .fileUnusable, "The file \(path) for the \(content) does not exist.",
                meaning: meaning, advice: "Specify a PEM file that contains it.")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("\(content.uppercased())-----") else {
            throw TapcardError(
                .fileUnusable, "The file \(path) contains no \(content).", meaning: meaning,
                advice: "Specify a certificate and the key that belongs to it, both in PEM.")
        }
        return text
    }
}

extension TapcardError {
    /// The error for a server that cannot be started.
    package init(
        _ error: WebServerError, _ what: String, meaning: String,
        otherwiseAdvise: String = "Choose another --port, or leave it out to get a free one."
    ) {
        let (kind, advice): (TapcardError.Kind, String) =
            switch error.kind {
            case .badCertificate:
                (.fileUnusable, "Specify a certificate and a private key that belong together.")
            case .cannotListen:
                (.failed, otherwiseAdvise)
            case .libraryMissing, .tooFewDescriptors, .noResources:
                (.failed, "Fix the cause, then try again.")
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
