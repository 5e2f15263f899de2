import Glibc

/// How many of the files that this process may have open are for connections. What is left is for
/// everything else: without it a crowd of clients would keep the handlers from their own files.
package enum DescriptorLimit {
    /// Below this a server would serve hardly anybody.
    static let fewest = 16

    /// As many connections as are wanted, or as there is room for beside what is reserved.
    static func connections(_ settings: WebServerSettings) throws(WebServerError) -> Int {
        let allowed = raised(to: settings.connections + reserved(settings))
        guard let connections = connections(settings, allowed: allowed) else {
            throw WebServerError(
                .tooFewDescriptors,
                "\(allowed) open files are allowed, and at least \(fewest + reserved(settings)) are "
                    + "needed: raise the limit (ulimit -n).")
        }
        return connections
    }

    /// Nil where there are too few to begin with.
    package static func connections(_ settings: WebServerSettings, allowed: Int) -> Int? {
        let room = allowed - reserved(settings)
        return room < fewest ? nil : min(settings.connections, room)
    }

    private static func reserved(_ settings: WebServerSettings) -> Int {
        settings.reservedDescriptors + LingeringSockets.mostSockets
    }

    /// How many files may be open, after as many were asked for as are in this process's power.
    private static func raised(to wanted: Int) -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0 else { return wanted }
        if limit.rlim_cur < rlim_t(wanted) {
            var higher = limit
            higher.rlim_cur = min(rlim_t(wanted), limit.rlim_max)
            if unsafe setrlimit(resource, &higher) == 0 { limit = higher }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
