import BlockingLane
package import TapcardCore
import TapcardDomain

/// What a server keeps between its commands: the services, which are created on first use and keep
/// their connections open, the receipt printer, and the products as they were last read.
package final class ServiceCache: Sendable {
    private let cached = Guarded<Services?>(nil)
    package let printer = ReceiptPrinter()
    /// The products from the last sale while the ledger was online. Without it, they decide which
    /// products are sold out and which need an age check.
    let products = Guarded<[Product]?>(nil)

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
