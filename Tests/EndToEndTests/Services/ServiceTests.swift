import Glibc
import OperatingSystem
import TestSupport
import Testing

@Suite("The till page as a system service", .ownThread, .timeLimit(.minutes(5)))
struct ServiceTests {
    @Test(
        "The server tells its service manager when it is ready and when it stops",
        arguments: ["/", "@"])
    func news(root: String) throws {
        let till = try Till()
        let place = root + till.home.dropFirst() + "/news"
        let manager = try PlayedServiceManager(at: place)
        let page = try CashierPage(till, with: ["NOTIFY_SOCKET": place])
        #expect(try manager.next() == "READY=1")
        #expect(try page.get("/api/v1/health").hasSuffix(" 200"))
        try page.stop()
        #expect(try manager.next() == "STOPPING=1")
    }

    @Test(
        "The server runs even if nobody listens on the notification socket",
        arguments: ["/nowhere/news", "@nobody", "news"])
    func unheard(place: String) throws {
        let page = try CashierPage(try Till(), with: ["NOTIFY_SOCKET": place])
        #expect(try page.get("/api/v1/health").hasSuffix(" 200"))
        try page.stop()
    }

    @Test("The server keeps working and can be stopped even if nobody reads its log")
    func unread() throws {
        let till = try Till()
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        // F_SETPIPE_SZ: the least that there is; some thirty operations fill it.
        try #require(fcntl(ends[1], 1_031, 4_096) >= 0)
        let page = try CashierPage(till, errors: .descriptor(ends[1]))
        let token = try page.token()
        for _ in 0..<60 {
            let read = try page.post("/api/v1/read", "{}", token)
            #expect(read.contains("blank-tag"), "\(read)")
        }
        try page.stop()
    }

    @Test("Health reports when another program locks the ledger and when it is free again")
    func health() throws {
        let till = try Till()
        try till.step("demo")
        let page = try CashierPage(till)
        func health() throws -> String { try page.get("/api/v1/health") }
        #expect(try health().hasPrefix(#"{"status":"ok","#))
        let token = try page.token()
        func add() throws -> String { try page.post("/api/v1/add", #"{"amount":"1.00"}"#, token) }
        let other = try OpenDatabase(till.ledger)
        try other.execute("BEGIN IMMEDIATE")
        #expect(try add().contains("ledger-locked"))
        #expect(try health().hasPrefix(#"{"status":"no-ledger","#))
        #expect(try page.get("/metrics").contains("tapcard_ledger_up 0\n"))
        // What needs no ledger says nothing of it.
        #expect(try page.post("/api/v1/simulator/take", "{}", token).hasSuffix(" 200"))
        #expect(try health().hasPrefix(#"{"status":"no-ledger","#))
        try other.execute("ROLLBACK")
        #expect(try health().hasPrefix(#"{"status":"ok","#))
        try page.stop()
    }

    @Test("The systemd unit's command serves the page from the folders that the unit names")
    func unit() throws {
        let bytes = try #require(
            try DurableFile(Repository.path("packaging/tapcard.service")).read())
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        func words(_ name: String) throws -> [String] {
            let line = try #require(lines.first { $0.hasPrefix("\(name)=") })
            return line.dropFirst(name.count + 1).split(separator: " ").map(String.init)
        }
        let till = try Till()
        var environment: [String: String?] = ["TAPCARD_READER": nil, "HOME": "/nowhere"]
        for variable in try words("Environment") {
            let parts = variable.split(separator: "=", maxSplits: 1).map(String.init)
            environment[parts[0]] = till.home + parts[1]
        }
        try till.write(#"{"reader":"sim"}"#, to: till.file("etc/tapcard/config.json"))
        let command = try words("ExecStart")
        #expect(command[..<4] == ["/usr/local/bin/tapcard", "serve", "--port", "8420"])
        // Any port that is free in place of its own.
        let page = try CashierPage(
            till, ["--port", "0"] + command[4...], with: environment)
        #expect(try page.get("/api/v1/settings").contains(#""simulator":true"#))
        try page.stop()
        let data = till.file("var/lib/tapcard/simulated")
        #expect(unsafe access("\(data)/ledger.sqlite", F_OK) == 0)
        #expect(unsafe access("\(data)/keys.json", F_OK) == 0)
        #expect(try words("StateDirectory") == ["tapcard"])
        // Every connection and the descriptors that are kept free.
        #expect(try #require(Int(words("LimitNOFILE")[0])) >= 2_560 + 256)
        #expect(try words("ExecReload") == ["/bin/kill", "-HUP", "$MAINPID"])
    }
}

/// Receives a service's notifications, as systemd does.
private final class PlayedServiceManager {
    private static let longestNews = 256
    private static let secondsLimit = 60

    private let descriptor: Int32

    /// An abstract name begins with "@".
    init(at place: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(place.utf8)
        if name[0] == UInt8(ascii: "@") { name[0] = 0 }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let bound = unsafe withUnsafeBytes(of: &address) { bytes in
            unsafe bytes.withMemoryRebound(to: sockaddr.self) {
                unsafe bind(descriptor, $0.baseAddress, length)
            }
        }
        try #require(bound == 0)
        var limit = timeval(tv_sec: PlayedServiceManager.secondsLimit, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        try #require(
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size) == 0)
    }

    deinit { close(descriptor) }

    func next() throws -> String {
        var news = [UInt8](repeating: 0, count: PlayedServiceManager.longestNews)
        let count = unsafe recv(descriptor, &news, news.count, 0)
        try #require(count > 0, "nothing is told")
        return String(decoding: news[..<count], as: UTF8.self)
    }
}
