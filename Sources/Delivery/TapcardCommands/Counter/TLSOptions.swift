import TapcardCore

extension Parameter<String?> {
    static var tlsCertificate: Self {
        .option(
            "tls-certificate", "FILE", .file, "Answer by HTTPS, with this certificate (PEM)")
    }
    static var tlsKey: Self {
        .option("tls-key", "FILE", .file, "The certificate's key (PEM)")
    }
}

extension Parameter<UInt16?> {
    static func port(orSay meaning: String) -> Self {
        .option("port", "N", .port(orSay: meaning), "The port (default: any that is free)")
    }
}

extension Session {
    /// The certificate and its key that were named; nil where neither was.
    func tlsFiles(orSay meaning: String) throws(TapcardError) -> TLSFiles? {
        switch (try self[.tlsCertificate], try self[.tlsKey]) {
        case (nil, nil): return nil
        case (let certificate?, let key?): return TLSFiles(certificate: certificate, key: key)
        default:
            throw TapcardError(
                .usage, "A certificate needs its key, and a key its certificate.",
                meaning: meaning, advice: "Name both, with --tls-certificate and --tls-key.")
        }
    }
}
