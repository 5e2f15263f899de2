import Glibc

/// The share of this process's open files that connections can use. The rest is reserved;
/// otherwise, with many clients, the handlers would be unable to open their own files.
package enum DescriptorLimit {
    /// The minimum number of connections for a useful server.
    static let minimumConnections = 16

    /// The requested number of connections, or fewer if the limit minus the reserve does not allow
    /// that many.
    static func connections(_ settings: WebServerSettings) throws(WebServerError) -> Int {
        let allowed = raiseLimit(to: settings.connections + reserved(settings))
        guard let connections = connections(settings, allowed: allowed) else {
            throw WebServerError(
                .tooFewDescriptors,
                "Only \(allowed) open files are allowed, but "
                    + "\(minimumConnections + reserved(settings)) are needed; raise the limit with "
                    + "`ulimit -n`.")
        }
        return connections
    }

    /// The number of connections possible with this limit on open files. `nil` if the limit is too
    /// low.
    package static func connections(_ settings: WebServerSettings, allowed: Int) -> Int? {
        let available = allowed - reserved(settings)
        return available < minimumConnections ? nil : min(settings.connections, available)
    }

    private static func reserved(_ settings: WebServerSettings) -> Int {
        // A lingering socket still has a descriptor after its connection is closed.
        settings.reservedDescriptors + LingeringSockets.maximumSockets
    }

    /// The limit on open files, after raising it as far as needed and allowed.
    private static func raiseLimit(to requested: Int) -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0 else { return requested }
        if limit.rlim_cur < rlim_t(requested) {
            var higher = limit
            // Only root can raise the hard limit; any process may raise its soft limit up to the
            // hard one.
            higher.rlim_cur = min(rlim_t(requested), limit.rlim_max)
            if unsafe setrlimit(resource, &higher) == 0 { limit = higher }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
