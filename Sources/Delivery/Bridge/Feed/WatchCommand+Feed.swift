import RemoteServices
import TapcardCore
import TapcardDomain
import Verbs

extension Parameter<String?> {
    static var from: Self {
        .option("from", "URL", .word, "Receive taps from the `tapcard serve` at URL")
    }
    static var tokenFile: Self {
        .option("token-file", "FILE", .file, "File with the token for --from")
    }
}

extension WatchCommand {
    /// Returns the feed of the server in `--from`; nil if this program uses its own reader.
    static func feed(
        in session: Session, through transport: Transport
    ) throws(TapcardError) -> TapFeed? {
        guard let url = session[.from] else { return nil }
        guard session[.readers].isEmpty, !session[.allReaders], !session[.withBalance] else {
            throw refusal(
                "--from cannot be used with --reader, --all-readers, or --with-balance",
                "The server chooses the reader, and it sends no names or balances.")
        }
        let address = try translating(ServiceAddress(url)) { (error: ServiceError) in
            refusal("The value of --from is not a valid address: \(error.detail)")
        }
        let isLocal = isLocal(address.host)
        guard isLocal || address.text.lowercased().hasPrefix("https:") else {
            throw refusal(
                "Others on the network could read the token, because the address begins with "
                    + "http://", "Use https://, or run the server on this computer.")
        }
        guard let path = session[.tokenFile] else {
            throw refusal(
                "--from needs --token-file FILE",
                "On the server, create a token with: tapcard tokens add NAME --may watch")
        }
        let token = try text(of: path, "--token-file")
        guard let header = HTTPHeader("Authorization", "Bearer \(token)"), !token.isEmpty else {
            throw refusal("\(path) contains no valid token")
        }
        return TapFeed(
            // A proxy could read the token.
            address, header, through: transport(try session.settings.authorities, isLocal),
            session.dependencies
        ) { session.say("tapcard: \($0)\n") }
    }

    /// Whether a host, with or without a port, is this computer.
    private static func isLocal(_ host: String) -> Bool {
        if host.hasPrefix("[") { return host.hasPrefix("[::1]") }
        let name = host.prefix { $0 != ":" }
        return name.lowercased() == "localhost" || isLoopback(name)
    }

    /// Whether a name is an IPv4 address in 127.0.0.0/8.
    private static func isLoopback(_ name: Substring) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
