import KioskServer
import RemoteServices
import TapcardCommands
import TapcardCore
import WebServer

/// Lets the command line serve the counter page.
struct KioskDriver: CounterPages {
    private static let nothing = "Nothing is served."

    func start(
        _ request: ServeRequest, _ desk: CounterDesk, log: @escaping @Sendable (String) -> Void
    ) async throws(TapcardError) -> any RunningCounterPage {
        var settings = Kiosk.Settings()
        (settings.port, settings.demoPace) = (request.port, request.demoPace)
        (settings.address, settings.names) = (request.address, request.names)
        settings.mustLogIn = request.mustLogIn
        settings.tls = try request.tls?.read(orSay: KioskDriver.nothing)
        HTTPClient.prepare()
        do throws(WebServerError) {
            let kiosk = try await Kiosk.start(settings, desk, log: log)
            // Also without a certificate: a signal that nobody answers would end the counter, and
            // systemctl reload sends it to any.
            Hangup.listen {
                Task {
                    guard let files = request.tls else { return kiosk.sayNothingToReload() }
                    await kiosk.renew(files) { () throws(TapcardError) in
                        try files.read(orSay: KioskDriver.nothing)
                    }
                }
            }
            ServiceManager.tell(.ready)
            return Running(kiosk: kiosk)
        } catch {
            throw TapcardError(
                error, "The counter page cannot be served.", meaning: KioskDriver.nothing)
        }
    }

    private struct Running: RunningCounterPage {
        let kiosk: Kiosk
        var address: String { kiosk.address }
        func waitForCancellation() async { await Cancellation.wait() }
        func stop() async {
            ServiceManager.tell(.stopping)
            await kiosk.stop()
        }
    }
}
