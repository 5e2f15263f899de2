import RemoteServices
import TapcardCore
import TapcardDomain
import Verbs

extension Parameter<String?> {
    static var from: Self {
        .option("from", "URL", .word, "Hear the taps of the `tapcard serve` at URL")
    }
    static var tokenFile: Self {
        .option("token-file", "FILE", .file, "File with the token of --from")
    }
}

extension WatchCommand {
    /// The server whose taps are heard; nil for a reader of this program's own.
    static func feed(
        in session: Session, through transport: Transport
    ) throws(TapcardError) -> TapFeed? {
        guard let url = session[.from] else { return nil }
        guard session[.readers].isEmpty, !session[.withBalance] else {
            throw refusal(
                "--from cannot be used with --reader or --with-balance",
                "The server has the reader, and it does not tell names or balances.")
        }
        let address = try translating(ServiceAddress(url)) { (error: ServiceError) in
            refusal("The value of --from is not a valid address: \(error.detail)")
        }
        let isLocal = isLocal(address.host)
        guard isLocal || address.text.lowercased().hasPrefix("https:") else {
            throw refusal(
                "The token would be readable on the network, because the address begins with "
                    + "http://", "Use https://, or an address of this machine.")
        }
        guard let path = session[.tokenFile] else {
            throw refusal(
                "--from needs --token-file FILE",
                "The server's operator makes a token with: tapcard tokens add NAME --may watch")
        }
        let token = try text(of: path, "--token-file")
        guard let header = HTTPHeader("Authorization", "Bearer \(token)"), !token.isEmpty else {
            throw refusal("\(path) has no token")
        }
        return TapFeed(
            // A proxy could read the token.
            address, header, through: transport(try session.settings.authorities, isLocal),
            session.dependencies
        ) { session.say("tapcard: \($0)\n") }
    }

    /// Whether a host, with or without a port, is this machine.
    private static func isLocal(_ host: String) -> Bool {
        if host.hasPrefix("[") { return host.hasPrefix("[::1]") }
        let name = host.prefix { $0 != ":" }
        return name.lowercased() == "localhost" || isLoopback(name)
    }

    /// Whether a text is an IPv4 address that begins with 127.
    private static func isLoopback(_ name: Substring) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
