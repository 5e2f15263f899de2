import BlockingLane
import Testing
import Verbs

@Suite("The serve command")
struct ServeCommandTests {
    private static let tls = "--tls-certificate c.pem --tls-key k.pem"
    private static let password = ["TAPCARD_CASHIER_PASSWORD": "sesame-open"]

    /// Serves, stops as soon as the page is up, and returns what was printed.
    private func served(_ bench: ProgramBench, _ line: String) async throws -> String {
        let running = Task { await bench.run(line) }
        while bench.served.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(5)) }
        running.cancel()
        let ended = await running.value
        #expect(ended.status == 0, "\(ended.text)")
        let address = try #require(bench.served.withLock { $0.popLast() })
        return ended.text.replacing(address, with: "<address>")
    }

    /// The printed lines without the log.
    private func words(_ text: String) -> [Substring] {
        text.split(separator: "\n").filter { !$0.hasPrefix("! ") }
    }

    @Test("Serving prints the address of the till page and how to stop it")
    func usual() async throws {
        let bench = try ProgramBench()
        _ = await bench.run("demo --quiet")
        #expect(
            words(try await served(bench, "serve")) == [
                "Till page: <address>", "To stop it, press Ctrl-C", "Till page stopped",
            ])
        #expect(
            words(try await served(bench, "serve --json")) == [
                #"{"result":"done","address":"<address>"}"#
            ])
    }

    @Test("Serving several readers prints each till with its reader and its address")
    func tills() async throws {
        let bench = try ProgramBench()
        _ = await bench.run("demo --quiet")
        let line = "--reader sim:a serve --reader sim:b --reader sim:c"
        #expect(
            words(try await served(bench, line)) == [
                "Till page: <address>",
                "Till 1: <address>tills/1/, with reader sim:a",
                "Till 2: <address>tills/2/, with reader sim:b",
                "Till 3: <address>tills/3/, with reader sim:c",
                "To stop it, press Ctrl-C", "Till page stopped",
            ])
        let document =
            #"{"result":"done","address":"<address>","tills":["#
            + #"{"number":1,"reader":"sim:a","address":"<address>tills/1/"},"#
            + #"{"number":2,"reader":"sim:b","address":"<address>tills/2/"}]}"#
        #expect(
            words(try await served(bench, "serve --reader sim:a --reader sim:b --json"))
                == [document[...]])
    }

    @Test(
        "Readers that cannot be the tills of one server are refused",
        arguments: [
            ("--reader sim --reader sim", "The reader sim was given twice."),
            (
                "--reader sim:a --reader sim:./a",
                "sim:a and sim:./a are two names for the same reader."
            ),
            (
                "--reader pn532_uart:/dev/null --reader pn532_uart:/dev/null:9600",
                "pn532_uart:/dev/null and pn532_uart:/dev/null:9600 are two names for the same "
                    + "reader."
            ),
            (
                "--reader sim --reader pcsc:ACS",
                "Simulated and real readers cannot be used together, because their keys and "
                    + "ledgers are separate."
            ),
            (
                "--reader pcsc:ACS --reader sim",
                "Simulated and real readers cannot be used together, because their keys and "
                    + "ledgers are separate."
            ),
            ("--reader sim --reader nonsense", "\"nonsense\" is not a reader name."),
            (
                (1...17).map { "--reader sim:\($0)" }.joined(separator: " "),
                "A server can use at most 16 readers, but 17 were given."
            ),
        ])
    func readers(line: String, words: String) async throws {
        let bench = try ProgramBench()
        let ended = await bench.run("serve \(line)")
        #expect(ended.status == 2)
        #expect(ended.text.hasPrefix("! tapcard: \(words) "), "\(ended.text)")
        #expect(bench.served.withLock { $0 } == [])
    }

    @Test("Serving other machines is allowed with TLS and a cashier who has a password")
    func offLoopback() async throws {
        let bench = try ProgramBench()
        _ = await bench.run("demo --quiet")
        _ = await bench.run("cashiers add Ann", Self.password)
        let ended = await bench.run(
            "serve --listen 0.0.0.0 \(Self.tls) --name till.example,192.168.1.5")
        // No rule is in the way any more, only the certificate.
        #expect(
            ended.text
                == "! tapcard: The file c.pem for the certificate does not exist. The server was "
                + "not started. Specify a PEM file that contains it.\n")
    }

    @Test("Serving other machines without TLS or without a cashier is refused with the risk")
    func unsafe() async throws {
        let bench = try ProgramBench()
        #expect(
            await bench.run("serve --listen 192.168.1.5")
                == .init(
                    status: 2,
                    text: "! tapcard: The till page at 192.168.1.5 would be served to other "
                        + "computers without TLS, so anyone on the network could read the traffic "
                        + "and make payments. The server was not started. Specify a certificate "
                        + "with --tls-certificate and --tls-key, or leave out --listen.\n"))
        #expect(
            await bench.run("serve --listen 192.168.1.5 \(Self.tls)")
                == .init(
                    status: 2,
                    text: "! tapcard: No cashiers have been added, so anyone on the network who "
                        + "can reach 192.168.1.5 could make payments. The server was not started. "
                        + "To add one, run: tapcard cashiers add NAME\n"))
        #expect(bench.served.withLock { $0 } == [])
    }

    @Test("Serving other machines with --insecure warns of the risk")
    func insecure() async throws {
        let bench = try ProgramBench()
        _ = await bench.run("demo --quiet")
        // An address of the network for documentation: no machine has it, so nothing is served.
        let plain = await bench.run("serve --listen 192.0.2.1 --insecure")
        #expect(
            plain.text.contains(
                "! tapcard: With --insecure, anyone who can reach 192.0.2.1 can read the traffic, "
                    + "including passwords, and charge, top up, and pay out cards.\n"
            ), "\(plain.text)")
        let encrypted = await bench.run("serve --listen 192.0.2.1 --insecure \(Self.tls)")
        #expect(encrypted.text.contains("192.0.2.1 can charge, top up"), "\(encrypted.text)")
        // Nothing is risked where only this machine can reach it.
        let loopback = try await served(bench, "serve --listen 127.0.0.2 --insecure")
        #expect(!loopback.contains("--insecure"))
        // Cashiers who log in over TLS are as safe as without the option.
        _ = await bench.run(
            "cashiers add Ann", ["TAPCARD_CASHIER_PASSWORD": "seven green bottles"])
        let safe = await bench.run("serve --listen 192.0.2.1 --insecure \(Self.tls)")
        #expect(!safe.text.contains("With --insecure"), "\(safe.text)")
    }

    @Test(
        "An invalid address, name or port, or half a certificate, is refused",
        arguments: [
            ("--listen localhost", "\"localhost\" is not an address to listen on (IPv4"),
            ("--listen ::1", "\"::1\" is not an address to listen on (IPv4"),
            ("--listen 127.1", "\"127.1\" is not an address to listen on (IPv4"),
            ("--listen 127.0.0.01", "\"127.0.0.01\" is not an address to listen on (IPv4"),
            ("--listen 127.0.0.256", "\"127.0.0.256\" is not an address to listen on (IPv4"),
            ("--listen=", "\"\" is not an address to listen on (IPv4"),
            ("--name http://till", "\"http://till\" is not a host name (such as till.example"),
            ("--name till:80", "\"till:80\" is not a host name (such as till.example"),
            ("--name a,,b", "\"\" is not a host name (such as till.example"),
            (
                "--port 65536",
                "The value for --port must be a whole number from 0 to 65535, not \"65536\""
            ),
            ("--tls-key k.pem", "A certificate and its private key can only be used together."),
            (
                "--tls-certificate c.pem",
                "A certificate and its private key can only be used together."
            ),
        ])
    func refusals(line: String, words: String) async throws {
        let bench = try ProgramBench()
        let ended = await bench.run("serve \(line)")
        #expect(ended.status == 2)
        #expect(ended.text.hasPrefix("! tapcard: \(words)"), "\(ended.text)")
        #expect(ended.text.contains("The server was not started."))
        #expect(bench.served.withLock { $0 } == [])
    }
}
