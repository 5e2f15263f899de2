import TapcardCore

extension CommandOption {
    static let tlsCertificate = CommandOption(
        name: "tls-certificate", value: "FILE",
        help: "Answer by HTTPS, with this certificate (PEM)", completesFiles: true)
    static let tlsKey = CommandOption(
        name: "tls-key", value: "FILE", help: "The certificate's key (PEM)", completesFiles: true)
}

extension Session {
    /// The certificate and its key that were named; nil where neither was.
    func tlsFiles(orSay meaning: String) throws(TapcardError) -> TLSFiles? {
        switch (command.option("tls-certificate"), command.option("tls-key")) {
        case (nil, nil): return nil
        case (let certificate?, let key?): return TLSFiles(certificate: certificate, key: key)
        default:
            throw TapcardError(
                .usage, "A certificate needs its key, and a key its certificate.",
                meaning: meaning, advice: "Name both, with --tls-certificate and --tls-key.")
        }
    }
}
