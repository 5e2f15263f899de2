import TapcardCore
import TapcardDomain
import Verbs

/// Machines of tills.
extension DoctorCase {
    private static func failure(
        _ kind: ServiceError.Kind, _ detail: String, _ cause: ServiceError.Cause? = nil
    ) -> CheckedServer.Answer {
        let error = ServiceError(kind, detail)
        return .failed(cause.map { error.because(of: $0) } ?? error)
    }

    private static func checked(
        _ answers: CheckedServer.Answer...
    ) -> Result<ConnectionCheck, TapcardError> {
        let names = ["a", "b", "c", "d", "e", "f"]
        return .success(
            ConnectionCheck(
                zip(names, answers).map { CheckedServer("https://\($0).example", $1) }))
    }

    static let servers = [
        DoctorCase(
            heading: "A till's machine", status: 0,
            connections: checked(.accepted(till: "Bar"), .accepted(till: "Bar"))
        ) { try machine(["acr122u"]) },
        DoctorCase(
            heading: "A till's machine with a proxy and a wrong clock", status: 0,
            connections: .success(
                ConnectionCheck(
                    [
                        CheckedServer(
                            "https://till.example", .accepted(till: "Bar"), clockLead: 90_500)
                    ], proxy: ("https_proxy", "proxy.example:3128")))
        ) { try machine(["acr122u"]) },
        DoctorCase(
            heading: "Servers that are offline", status: 8,
            connections: checked(
                failure(
                    .offline,
                    "the host name was not found in DNS (Could not resolve host: a.example)",
                    .hostName),
                failure(.timedOut, "no connection was made within 3 s", .connection),
                failure(.offline, "the proxy refused the connection with status 407", .proxy),
                failure(.wrongShape, "the server responded with status 502"),
                failure(.noClient, "libcurl is not installed"))
        ) { try machine(["acr122u"]) },
        DoctorCase(
            heading: "Servers with certificates that are not trusted", status: 8,
            connections: checked(
                failure(
                    .certificate,
                    "the server's certificate has expired or is not valid yet, or this machine's "
                        + "clock is wrong (SSL certificate problem: certificate is not yet valid)",
                    .certificateDates),
                failure(
                    .certificate,
                    "the server's key is not one that the code named (SSL: public key does not "
                        + "match pinned public key)", .pinnedKey),
                failure(
                    .certificate,
                    "the server could not prove its identity with its certificate (SSL "
                        + "certificate problem: self-signed certificate)"))
        ) { try machine(["acr122u"]) },
        DoctorCase(
            heading: "Servers that do not accept the reader", status: 8,
            connections: checked(
                .refused(
                    word: "stale-token",
                    title: "The till was removed, or another machine has connected as this till."),
                .refused(
                    word: "wrong-state",
                    title: "The ledger was restored, so the owner must confirm this till first."),
                .refused(
                    word: "wrong-reader",
                    title: "This server is for play money, so it cannot use a real reader."),
                .refused(
                    word: "too-many-attempts",
                    title: "There were too many unknown codes or tokens."),
                .refused(
                    word: "forbidden-host",
                    title: "The name in the Host header is not one of this server's."),
                failure(.broken, "The database does not answer."))
        ) { try machine(["acr122u"]) },
        DoctorCase(
            heading: "Connections that cannot be read", status: 8,
            connections: .failure(
                TapcardError(
                    .fileUnusable,
                    "The connection file connections.json is damaged or from a newer version of "
                        + "tapcard.",
                    meaning: "The reader is not connected.",
                    advice: "Use the newer version of tapcard that wrote the file, or delete the "
                        + "file and connect the reader with a new code."))
        ) { try machine(["acr122u"]) },
    ]
}
