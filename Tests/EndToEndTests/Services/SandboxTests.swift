import Glibc
import OperatingSystem
import ServiceSandbox
import TestSupport
import Testing

@Suite("The sandbox command", .ownThread)
struct SandboxTests {
    private static let code = "0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"

    @Test(
        "The sandbox answers until a signal stops it, and frees its port",
        arguments: [SIGINT, SIGTERM])
    func life(signal: Int32) throws {
        let till = try Till()
        let played = try PlayedServices(till)
        #expect(
            try played.process.output == """
                Sandbox running at \(played.address)
                export TAPCARD_READER=sim
                export TAPCARD_ACTIVATION_URL=\(played.address)/activation
                export TAPCARD_LOTTERY_URL=\(played.address)/lottery
                export TAPCARD_MASTERMIND_URL=\(played.address)/mastermind/api/v2
                Mastermind accepts any user name with the password sandbox
                To simulate a failure: curl -X PUT -d cut-off \(played.address)/sandbox/failure
                To stop it, press Ctrl-C

                """)
        let answer = try played.curl("/activation/version?code=\(SandboxTests.code)")
        #expect(answer == #"{"ios":"6.24","android":"413506"} 200"#)
        played.process.signal(signal)
        let ended = try played.process.end()
        let status = signal == SIGINT ? 128 + SIGINT : 0
        #expect(ended.status == status)
        #expect(ended.output.hasSuffix("Sandbox stopped after 1 request\n"))
        #expect(ended.errors == "")
        let port = try #require(played.address.split(separator: ":").last)
        // The port is free again.
        let second = try PlayedServices(till, ["--port", String(port)])
        #expect(second.address == played.address)
        second.process.signal(signal)
        #expect(try second.process.end().status == status)
    }

    @Test("The sandbox prints one document with --json")
    func document() throws {
        let till = try Till()
        let process = try till.start(["sandbox", "--json"])
        try process.wait("it answers") { try process.output.hasSuffix("\n") }
        process.signal(SIGTERM)
        let ended = try process.end()
        #expect(ended.status == 0)
        let pattern =
            #/\{"result":"done","activation":"(http://127\.0\.0\.1:\d+)/activation",/#
        let address = try #require(ended.output.prefixMatch(of: pattern)).output.1
        #expect(
            ended.output.hasSuffix(
                #""lottery":"\#(address)/lottery","mastermind":"\#(address)/mastermind/api/v2","#
                    + #""control":"\#(address)/sandbox","password":"sandbox"}"# + "\n"))
    }

    @Test("The sandbox fails and draws as its options say")
    func options() throws {
        let till = try Till()
        let played = try PlayedServices(
            till, ["--fail", "activation:503*1", "--draw-every", "1"])
        let path = "/activation/version?code=\(SandboxTests.code)"
        #expect(
            try played.curl(path)
                == #"{"error":"this failure was switched on in the sandbox"} 503"#)
        #expect(try played.curl(path).hasSuffix(" 200"))
        try played.process.wait("it draws again and again") {
            try played.curl("/lottery/StubLottoResultsData.json").contains(#""id":"draw-6""#)
        }
        played.process.signal(SIGTERM)
        #expect(try played.process.end().status == 0)
    }

    @Test("The sandbox serves HTTPS with a given certificate and refuses a mismatched key")
    func encrypted() throws {
        let till = try Till()
        let certificate = try Certificate(till)
        let played = try PlayedServices(till, certificate: certificate)
        #expect(played.address.hasPrefix("https://127.0.0.1:"))
        #expect(try played.curl("/sandbox/failure") == #"{"failure":"none"} 200"#)
        played.process.signal(SIGTERM)
        #expect(try played.process.end().status == 0)
        let other = try Certificate(till, "other")
        let both = "Specify a certificate and the key that belongs to it, both in PEM."
        for (path, key, why, advice) in [
            (
                certificate.key, certificate.path,
                "The file ~/certificate.key.pem contains no certificate.", both
            ),
            (
                certificate.path, certificate.path,
                "The file ~/certificate.pem contains no private key.", both
            ),
            (
                certificate.path, other.key, "The sandbox server could not start. ",
                "Specify a certificate and a private key that belong together."
            ),
        ] {
            let ended = try till.run(["sandbox", "--tls-certificate", path, "--tls-key", key])
            #expect(ended.status == 1)
            let line = till.masked(ended.errors)
            #expect(line.hasPrefix("tapcard: \(why)"), "\(line)")
            #expect(line.hasSuffix(". The sandbox was not started. \(advice)\n"), "\(line)")
            #expect(line.count { $0.isNewline } == 1)
        }
    }

    @Test("The sandbox sends a 100 MiB answer without holding it in memory")
    func huge() throws {
        let till = try Till()
        let played = try PlayedServices(till, ["--fail", "huge"])
        let before = try peak(of: played.process)
        let words = ["--output", "/dev/null", "--write-out", "%{size_download}"]
        #expect(try played.curl("/lottery/StubMyTicketsData.json", words) == "104857600")
        #expect(try peak(of: played.process) - before < 10_240)
        played.process.signal(SIGTERM)
        #expect(try played.process.end().status == 0)
    }

    /// The most memory that it ever had, in KiB.
    private func peak(of process: ChildProcess) throws -> Int {
        let status = try #require(try DurableFile("/proc/\(process.process)/status").read())
        let line = String(decoding: status, as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix("VmHWM:") }
        let number = try #require(line?.split(whereSeparator: { $0 == " " || $0 == "\t" }))
        return try #require(Int(number[1]))
    }

    @Test("The sandbox refuses a taken port, an unknown failure and a missing certificate")
    func refusals() throws {
        let till = try Till()
        let first = try PlayedServices(till)
        let port = String(try #require(first.address.split(separator: ":").last))
        let taken = try till.run(["sandbox", "--port", port])
        #expect(taken.status == 1)
        #expect(taken.errors.hasPrefix("tapcard: The sandbox server could not start. "))
        #expect(
            taken.errors.hasSuffix(
                "The sandbox was not started. Choose another --port, or leave it out to get a "
                    + "free one.\n"))
        first.process.signal(SIGTERM)
        #expect(try first.process.end().status == 0)
        let words = try till.run(["sandbox", "--fail", "on fire"])
        #expect(words.status == 2)
        #expect(words.errors.hasPrefix("tapcard: Unknown failure \"on fire\""))
        let key = till.file("key.pem")
        for (path, what) in [
            (till.file("none.pem"), "The file ~/none.pem for the certificate does not exist."),
            (till.home, "The certificate in ~ could not be read: ~: Is a directory."),
        ] {
            let ended = try till.run(
                ["sandbox", "--tls-certificate", path, "--tls-key", key])
            #expect(ended.status == 1)
            #expect(
                till.masked(ended.errors).hasPrefix(
                    "tapcard: \(what) The sandbox was not started. "))
        }
    }

    @Test("A certificate pipe without a writer is waited for until the sandbox is stopped")
    func pipe() throws {
        let till = try Till()
        let certificate = try Certificate(till)
        let pipe = till.file("pipe")
        try #require(unsafe mkfifo(pipe, 0o600) == 0)
        let sandbox = try till.start(
            ["sandbox", "--tls-certificate", pipe, "--tls-key", certificate.key])
        // It cannot be opened for writing before it has a reader.
        var writing: Int32 = -1
        defer { close(writing) }
        try sandbox.wait("it waits") {
            writing = unsafe open(pipe, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            return writing >= 0
        }
        sandbox.signal(SIGTERM)
        let ended = try sandbox.end()
        #expect(ended.status == 1)
        #expect(
            till.masked(ended.errors)
                == "tapcard: The certificate in ~/pipe could not be read: ~/pipe: stopped before "
                + "anything was written to the pipe. The sandbox was not started. Specify a PEM file "
                + "that contains it.\n")
    }

    @Test("Help and docs/SERVICES.md name every failure")
    func pages() throws {
        let till = try Till()
        let help = try till.step("sandbox --help")
        let named = Set(help.split { $0.isWhitespace || ",.;".contains($0) }.map(String.init))
        let page = try till.text(of: Repository.path("docs/SERVICES.md"))
        for failure in SandboxFailure.allCases {
            #expect(named.contains(failure.rawValue))
            #expect(page.contains("`\(failure.rawValue)`"), "\(failure.rawValue)")
        }
    }
}
