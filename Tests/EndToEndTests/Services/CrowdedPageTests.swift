import BlockingLane
import TestSupport
import Testing

@Suite("A crowded till page", .ownThread, .checkOnly)
struct CrowdedPageTests {
    private let till: Till
    private let page: CashierPage
    private let port: UInt16
    private let lane = BlockingLane(label: "crowd")

    init() throws {
        till = try Till()
        try till.step("issue --balance 20")
        page = try CashierPage(till, files: 400)
        port = try #require(UInt16(page.port))
    }

    private func crowd(_ count: Int, saying text: String) throws -> [RawClient] {
        try (0..<count).map { _ in try RawClient(port, saying: text, lane: lane) }
    }

    private var openFiles: Int {
        get throws {
            let list = try ChildProcess(
                "/bin/ls", ["/proc/\(page.process.process)/fd"], environment: [:],
                folder: till.home)
            return try list.end().output.split(separator: "\n").count
        }
    }

    @Test("The page still takes payments when idle and refused clients fill its connections")
    func idle() async throws {
        let token = try page.token()
        let refused = try crowd(
            64,
            saying: "POST /api/v1/pay HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
                + "Content-Length: 1000000000\r\n\r\n")
        let idle = try crowd(300, saying: "")
        for _ in 0..<3 {
            let paid = try page.post("/api/v1/pay", #"{"amount":"1.00","again":true}"#, token)
            #expect(paid.hasSuffix(" 200"), "\(paid)")
        }
        for client in refused + idle { await client.leave() }
        try page.stop()
    }

    @Test("The page still takes payments among many listeners and releases their files")
    func listeners() async throws {
        let token = try page.token()
        // What it opens for its first operation stays open.
        #expect(try page.post("/api/v1/pay", #"{"amount":"1.00"}"#, token).hasSuffix(" 200"))
        let before = try openFiles
        for _ in 0..<3 {
            let listeners = try crowd(
                200,
                saying: "GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
            let paid = try page.post("/api/v1/pay", #"{"amount":"1.00","again":true}"#, token)
            #expect(paid.hasSuffix(" 200"), "\(paid)")
            for client in listeners { await client.leave() }
            try page.process.wait("all are gone") { try openFiles <= before }
        }
        try page.stop()
    }
}
