import BlockingLane
package import TapcardCore

/// The services of one command, made when they are first asked for and then kept: with them go
/// the connections that are open, and the cache.
package final class MadeServices: Sendable {
    private let made = Guarded<Services?>(nil)

    package init() {}

    package func once(_ make: () throws(TapcardError) -> Services) throws(TapcardError) -> Services
    {
        try made.withLock { made throws(TapcardError) in
            if let made { return made }
            let new = try make()
            made = new
            return new
        }
    }
}
