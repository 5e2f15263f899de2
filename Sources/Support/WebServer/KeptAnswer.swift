import BlockingLane
import CMicroHTTPD

/// What libmicrohttpd has made of an answer, kept for whoever gets the same one next.
final class KeptAnswer: Sendable {
    // Unchecked: nobody changes it any more, and libmicrohttpd counts those who use it by itself,
    // under a lock.
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
            if made == nil { made = make() }
            return made
        }
    }
}
