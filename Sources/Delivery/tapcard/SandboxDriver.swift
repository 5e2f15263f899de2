import DurableFile
import ServiceSandbox
import TapcardCommands
import TapcardCore
import WebServer

/// Lets the command line play the services.
struct SandboxDriver: ServiceStandIns {
    private static let nothing = "Nothing is played."
    /// A certificate with a long chain behind it is shorter.
    private static let longestPEM = 1 << 20

    func start(_ request: SandboxRequest) throws(TapcardError) -> any RunningSandbox {
        var settings = ServiceSandbox.Settings()
        settings.port = request.port
        settings.drawEvery = request.drawEvery
        if let maxAge = request.maxAge { settings.maxAge = maxAge }
        if let word = request.failure {
            guard let failure = SandboxSwitch(word) else {
                throw TapcardError(
                    .usage, "\(SandboxSwitch.refusal(word)).", meaning: SandboxDriver.nothing,
                    advice: "See: tapcard sandbox --help")
            }
            settings.failure = failure
        }
        if let certificate = request.certificate, let key = request.key {
            settings.tls = WebServerSettings.TLS(
                certificatePEM: try SandboxDriver.text(certificate, of: "certificate"),
                keyPEM: try SandboxDriver.text(key, of: "private key"))
        }
        do throws(WebServerError) {
            return Running(sandbox: try ServiceSandbox.start(settings, now: Wiring.now))
        } catch {
            throw SandboxDriver.refusal(error)
        }
    }

    private struct Running: RunningSandbox {
        let sandbox: ServiceSandbox
        var address: String { sandbox.address }
        var activation: String { sandbox.address(of: .activation) }
        var lottery: String { sandbox.address(of: .lottery) }
        var mastermind: String { sandbox.address(of: .mastermind) }
        var control: String { sandbox.control }
        var password: String { ServiceSandbox.password }
        var requestCount: Int { sandbox.requestCount }
        func waitForCancellation() async { await Cancellation.wait() }
        func stop() async { await sandbox.stop() }
    }

    /// What is in a file in PEM, whose first line ends with what it holds.
    private static func text(
        _ path: String, of content: String
    ) throws(TapcardError) -> String {
        let bytes: [UInt8]?
        do throws(FileError) {
            bytes = try DurableFile(path).readStream(limit: longestPEM)
        } catch {
            throw TapcardError(
                .fileUnusable, "\(path) cannot be read: \(error.detail).", meaning: nothing,
                advice: "Name a file in PEM that you may read.")
        }
        guard let bytes else {
            throw TapcardError(
                .fileUnusable, "There is no file \(path).", meaning: nothing,
                advice: "Name a file in PEM.")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("\(content.uppercased())-----") else {
            throw TapcardError(
                .fileUnusable, "\(path) holds no \(content).", meaning: nothing,
                advice: "Name a certificate and the key that belongs to it, both in PEM.")
        }
        return text
    }

    private static func refusal(_ error: WebServerError) -> TapcardError {
        let kind: TapcardError.Kind
        let advice: String
        switch error.kind {
        case .badCertificate:
            (kind, advice) = (.fileUnusable, "Name a certificate and the key that belongs to it.")
        case .cannotListen:
            (kind, advice) = (
                .failed, "Choose another --port, or leave it out for one that is free."
            )
        case .libraryMissing, .tooManyConnections, .noResources:
            (kind, advice) = (.failed, "Mend that and try again.")
        }
        return TapcardError(
            kind, "The sandbox cannot be played. \(error.detail)", meaning: nothing, advice: advice)
    }
}
