import ReaderDiagnosis
import TapcardCore

/// Compares the address written on cards with the customer page that this station serves, to find
/// out whether phones would reach the page. Nothing is refused, because a proxy or another machine
/// may serve the address.
extension Settings {
    /// The path at which the customer page responds.
    private static let servedPath = "/c"

    var cardAddressFindings: [Finding] {
        guard let address = text(of: .cardAddress), let page = NamedPage(address) else {
            return []
        }
        return [pathFinding(page), hostFinding(page)].compactMap(\.self)
    }

    private var served: String? { text(of: .customers) }
    private var isLoopback: Bool { served?.hasPrefix("127.") ?? false }
    private var hasCertificate: Bool { text(of: .customersCertificate) != nil }

    private func pathFinding(_ page: NamedPage) -> Finding? {
        guard page.path != Settings.servedPath else { return nil }
        let wrong =
            page.path.isEmpty
            ? "The address in card-address has no path, but should have \(Settings.servedPath)"
            : "The path in card-address is \(page.path), not \(Settings.servedPath)"
        let found =
            "\(wrong), so phones can reach the customer page only through a proxy that forwards "
            + "that path."
        let correction = Finding.Step.run(
            "tapcard config set card-address \(page.origin)\(Settings.servedPath)")
        // An unencrypted address is only for simulated cards on this machine.
        if served == nil, page.isEncrypted {
            return Finding(
                .cardAddress, .note,
                found,
                remedy: [.say("Without such a proxy, before you issue more cards:"), correction])
        }
        // Without a certificate, the page is presumably behind a proxy, which may rewrite the path.
        if page.isEncrypted, isLoopback, !hasCertificate { return nil }
        return Finding(
            .cardAddress, .note,
            found,
            remedy: [.say("Before you issue more cards:"), correction])
    }

    private func hostFinding(_ page: NamedPage) -> Finding? {
        let named = text(of: .customersName)?.split(separator: ",").map { $0.lowercased() } ?? []
        // If another machine serves the page, the page's host names are unknown here.
        guard !named.isEmpty || served != nil else { return nil }
        let own = served.map { [String($0.prefix { $0 != ":" })] } ?? []
        let known = named + own + (isLoopback ? ["localhost"] : [])
        guard !known.contains(page.host) else { return nil }
        return Finding(
            .cardAddress, .note,
            "The host in card-address is \(page.host), but this machine's customer page "
                + "responds only to \(known.joined(separator: ", ")).",
            remedy: [
                .say("To make it respond to that host as well, directly or through a proxy:"),
                .run(
                    "tapcard config set customers-name "
                        + ([page.host] + named).joined(separator: ",")),
            ])
    }
}

/// The parts of an address in the form that `card-address` allows.
private struct NamedPage {
    let origin: String
    let host: String
    let path: String

    var isEncrypted: Bool { origin.hasPrefix("https:") }

    init?(_ address: String) {
        guard let start = address.firstRange(of: "://") else { return nil }
        let authority = address[start.upperBound...].prefix { $0 != "/" }
        (origin, path) = (
            String(address[..<authority.endIndex]), String(address[authority.endIndex...])
        )
        host = authority.prefix { $0 != ":" }.lowercased()
    }
}
