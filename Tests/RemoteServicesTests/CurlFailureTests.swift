import RemoteServices
import ServicePorts
import Testing

@Suite("What a transfer that failed means")
struct CurlFailureTests {
    @Test(
        "once a request was sent, no code of libcurl says that nobody got it", arguments: 1...120)
    func sent(code: Int) {
        let failure = CurlFailure(
            code: UInt32(code), words: "as libcurl says", isSent: true,
            limits: HTTPClientTests.limits)
        let kinds: [ServiceError.Kind] = [.cutOff, .notHTTP, .timedOut, .tooLarge]
        #expect(kinds.contains(failure.error.kind))
    }
}
