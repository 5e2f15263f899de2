import BlockingLane
package import TapcardCore

/// A cache of one command's services, which are created at first use and keep their connections
/// open.
package final class ServiceCache: Sendable {
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
