import ServiceSandbox
import TapcardCommands
import TapcardCore
import WebServer

/// Lets the command line play the services.
struct SandboxDriver: ServiceStandIns {
    private static let nothing = "Nothing is played."

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
        settings.tls = try request.tls?.read(orSay: SandboxDriver.nothing)
        do throws(WebServerError) {
            return Running(sandbox: try ServiceSandbox.start(settings, now: Wiring.now))
        } catch {
            throw TapcardError(
                error, "The sandbox cannot be played.", meaning: SandboxDriver.nothing)
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
}
