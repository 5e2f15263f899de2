import BlockingLane
package import TapcardCore

/// A cache of one command's services, which are created on first use and keep their connections
/// open, and the receipt printer.
package final class ServiceCache: Sendable {
    private let cached = Guarded<Services?>(nil)
    package let printer = ReceiptPrinter()

    package init() {}

    package func once(_ make: () throws(TapcardError) -> Services) throws(TapcardError) -> Services
    {
        try cached.withLock { cached throws(TapcardError) in
            if let cached { return cached }
            let new = try make()
            cached = new
            return new
        }
    }
}
