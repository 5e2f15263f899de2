import CustomerServer
import TapcardCore
import TextCodecs
import Verbs
import WebServer

/// The pages that `tapcard serve` serves: the till page, the customer page, or both.
package final class ServedPages: Sendable {
    package let service: TillService?
    let customers: CustomerListener?
    /// The server for the customer page's metrics; nil if none was requested or the till page
    /// provides them.
    let counts: MetricsServer?

    init(_ service: TillService?, _ customers: CustomerListener?, _ counts: MetricsServer? = nil) {
        (self.service, self.customers, self.counts) = (service, customers, counts)
    }

    /// Rereads the certificates, uses them for new connections, and logs the result.
    package func reload() async {
        await service?.reload()
        await customers?.reload()
    }

    func stop() async {
        // The customer page keeps working while the till finishes its operations.
        await service?.stop()
        await customers?.stop()
        await counts?.stop()
    }
}

/// The server for the customer page, with its certificate files.
final class CustomerListener: Sendable {
    let server: CustomerServer
    private let files: TLSFiles?
    private let log: TillLog

    init(_ server: CustomerServer, _ files: TLSFiles?, _ log: TillLog) {
        (self.server, self.files, self.log) = (server, files, log)
    }

    func reload() async {
        await files?.renew(log, "customers-") { tls throws(WebServerError) in
            try await self.server.renew(tls)
        }
    }

    func stop() async {
        await server.stop()
        await log.end()
    }
}

extension TLSFiles {
    /// Rereads the certificate for a server and logs the result. If the new certificate cannot be
    /// used, the old one stays in use.
    func renew(
        _ log: TillLog, _ page: String = "",
        with renew: (WebServerSettings.TLS) async throws(WebServerError) -> Void
    ) async {
        let why: String
        do throws(TapcardError) {
            let tls = try read(orSay: TillService.unserved)
            do throws(WebServerError) {
                try await renew(tls)
                log.say("\(page)certificate-renewed")
                return
            } catch {
                why = error.detail
            }
        } catch {
            why = error.what
        }
        log.say(
            "\(page)certificate-refused",
            [
                "why": .string(why), "certificate": .string(certificate), "key": .string(key),
            ])
    }
}
