import BlockingLane
import TapcardCommands
import Testing

@Suite("The command that serves the counter page")
struct ServeCommandTests {
    private static let tls = "--tls-certificate c.pem --tls-key k.pem"
    private static let password = ["TAPCARD_CASHIER_PASSWORD": "sesame-open"]

    @Test("says where it is; only this machine can reach it")
    func usual() async throws {
        let bench = try ProgramBench()
        _ = await bench.run("demo --quiet")
        let ended = await bench.run("serve --port 8080")
        #expect(
            ended
                == .init(
                    status: 0,
                    text: """
                        The counter page is at http://127.0.0.1:40231/
                        Ctrl-C ends it
                        The counter page is gone

                        """))
        var usual = ServeRequest()
        usual.port = 8080
        #expect(bench.served.withLock { $0 } == [usual])
        #expect(
            await bench.run("serve --json").text
                == #"{"result":"done","address":"http://127.0.0.1:40231/"}"# + "\n")
    }

    @Test("other machines are let in by TLS, and with a password")
    func offLoopback() async throws {
        let bench = try ProgramBench()
        _ = await bench.run("demo --quiet")
        _ = await bench.run("cashiers add Ann", Self.password)
        let ended = await bench.run(
            "serve --listen 0.0.0.0 \(Self.tls) --name counter.example,192.168.1.5")
        #expect(ended.status == 0, "\(ended.text)")
        var request = ServeRequest()
        request.address = "0.0.0.0"
        request.tls = TLSFiles(certificate: "c.pem", key: "k.pem")
        request.names = ["counter.example", "192.168.1.5"]
        request.mustLogIn = true
        #expect(bench.served.withLock { $0 } == [request])
    }

    @Test("without either it is refused, and says what would be risked")
    func unsafe() async throws {
        let bench = try ProgramBench()
        let reach = "! tapcard: Other machines can reach 192.168.1.5, and "
        #expect(
            await bench.run("serve --listen 192.168.1.5")
                == .init(
                    status: 2,
                    text: reach + "anyone in the network could read along, and pay. Nothing is "
                        + "served. Name a certificate with --tls-certificate and --tls-key, or "
                        + "leave --listen out.\n"))
        #expect(
            await bench.run("serve --listen 192.168.1.5 \(Self.tls)")
                == .init(
                    status: 2,
                    text: reach
                        + "there is no cashier: anyone in the network could pay. Nothing is "
                        + "served. Add one with tapcard cashiers add NAME.\n"))
        #expect(bench.served.withLock { $0 } == [])
    }

    @Test("unless that is what is wanted; then it says what is risked")
    func insecure() async throws {
        let bench = try ProgramBench()
        _ = await bench.run("demo --quiet")
        let plain = await bench.run("serve --listen 10.0.0.1 --insecure")
        #expect(plain.status == 0)
        #expect(
            plain.text.contains(
                "! tapcard: insecure: anyone who reaches 10.0.0.1 can read along, passwords too, and "
                    + "pay, add funds and empty cards.\n"), "\(plain.text)")
        let encrypted = await bench.run("serve --listen 10.0.0.1 --insecure \(Self.tls)")
        #expect(encrypted.text.contains("can pay, add funds"), "\(encrypted.text)")
        #expect(bench.served.withLock { $0.map(\.mustLogIn) } == [false, false])
        // Nothing is risked where only this machine can reach it.
        let loopback = await bench.run("serve --listen 127.0.0.2 --insecure")
        #expect(loopback.status == 0 && !loopback.text.contains("insecure"))
    }

    @Test(
        "refuses what is no address, no name, no port, or half a certificate",
        arguments: [
            ("--listen localhost", "\"localhost\" is not a valid address to listen at"),
            ("--listen ::1", "\"::1\" is not a valid address to listen at"),
            ("--listen 127.1", "\"127.1\" is not a valid address to listen at"),
            ("--listen 127.0.0.01", "\"127.0.0.01\" is not a valid address to listen at"),
            ("--listen 127.0.0.256", "\"127.0.0.256\" is not a valid address to listen at"),
            ("--listen=", "\"\" is not a valid address to listen at"),
            ("--name http://counter", "\"http://counter\" is not a valid machine name"),
            ("--name counter:80", "\"counter:80\" is not a valid machine name"),
            ("--name a,,b", "\"\" is not a valid machine name"),
            ("--port 65536", "--port cannot be \"65536\""),
            ("--tls-key k.pem", "A certificate needs its key, and a key its certificate."),
            ("--tls-certificate c.pem", "A certificate needs its key, and a key its certificate."),
        ])
    func refusals(line: String, words: String) async throws {
        let bench = try ProgramBench()
        let ended = await bench.run("serve \(line)")
        #expect(ended.status == 2)
        #expect(ended.text.hasPrefix("! tapcard: \(words)"), "\(ended.text)")
        #expect(ended.text.contains("Nothing is served."))
        #expect(bench.served.withLock { $0 } == [])
    }
}
