import DurableFile
import TapcardCommands
import TapcardCore
import WebServer

extension TLSFiles {
    /// A certificate with a long chain behind it is shorter.
    private static let longestPEM = 1 << 20

    /// What is in the files. `meaning` is said where that is not what it has to be.
    func read(orSay meaning: String) throws(TapcardError) -> WebServerSettings.TLS {
        WebServerSettings.TLS(
            certificatePEM: try TLSFiles.text(certificate, of: "certificate", meaning),
            keyPEM: try TLSFiles.text(key, of: "private key", meaning))
    }

    /// What is in a file in PEM, whose first line ends with what it holds.
    private static func text(
        _ path: String, of content: String, _ meaning: String
    ) throws(TapcardError) -> String {
        let bytes: [UInt8]?
        do throws(FileError) {
            bytes = try DurableFile(path).readStream(limit: longestPEM)
        } catch {
            throw TapcardError(
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
    /// Why a server of ours cannot be started.
    init(_ error: WebServerError, _ what: String, meaning: String) {
        let (kind, advice): (TapcardError.Kind, String) =
            switch error.kind {
            case .badCertificate:
                (.fileUnusable, "Name a certificate and the key that belongs to it.")
            case .cannotListen:
                (.failed, "Choose another --port, or leave it out for one that is free.")
            case .libraryMissing, .tooFewDescriptors, .noResources:
                (.failed, "Mend that and try again.")
            }
        self.init(kind, "\(what) \(error.detail)", meaning: meaning, advice: advice)
    }
}
