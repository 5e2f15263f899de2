import BlockingLane
import CMicroHTTPD

/// A libmicrohttpd response that is kept for later requests.
final class ReusableAnswer: Sendable {
    // Unchecked: the response never changes, and libmicrohttpd counts its references under a lock.
    @safe struct Made: @unchecked Sendable {
        let handle: OpaquePointer
        let library: MicroHTTPDLibrary
    }

    private let made = Guarded<Made?>(nil)

    deinit {
        guard let made = made.withLock({ $0 }) else { return }
        unsafe made.library.functions.destroy_response(made.handle)
    }

    func made(_ make: () -> Made?) -> Made? {
        made.withLock { made in
            // The response is made under the lock, so that two simultaneous requests do not both
            // make it.
            if made == nil { made = make() }
            return made
        }
    }
}
