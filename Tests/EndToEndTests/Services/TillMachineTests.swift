import Glibc
import TestSupport
import Testing

/// A machine has a reader that it drives for a server, and nothing else of it.
@Suite("The machine of a till", .ownThread)
struct TillMachineTests {
    private func stop(_ agent: ChildProcess) throws {
        agent.signal(SIGTERM)
        let ended = try agent.end()
        #expect(ended.status == 0, "\(ended.errors)")
    }

    /// The address of a server that is offline.
    private func deadAddress() throws -> String { "http://127.0.0.1:\(try Loopback.deadPort())" }

    @Test("The doctor asks every saved server, and needs no keys and no ledger for that")
    func doctor() throws {
        let server = try Till()
        let page = try CashierPage(server, ["--no-reader"])
        let (machine, dead) = (try Till(), try deadAddress())
        let agent = try machine.connect(
            "--server", "\(page.address),\(dead)", "--code", try server.code("tills add Bar"))
        let asked = try machine.run(["doctor"]).output
        #expect(
            asked.contains(
                "The server \(page.address) accepts this machine's reader for till Bar."),
            "\(asked)")
        #expect(
            asked.contains("The server \(dead) cannot be used: no connection could be made"),
            "\(asked)")
        try stop(agent)
        // That the doctor asked did not detach the reader.
        #expect(try agent.errors.ranges(of: "Connected to").count == 1)
        // The way to this machine itself leads through no proxy, which would see the token.
        let proxy = try ScriptedServer([])
        let proxies = ["http_proxy": proxy.address, "https_proxy": proxy.address]
        let ended = try machine.run(["doctor"], with: proxies)
        #expect(ended.status == 8, "\(ended.output)")
        #expect(ended.output.contains("accepts this machine's reader for till Bar."))
        #expect(!ended.output.contains("https_proxy"), "\(ended.output)")
        #expect(proxy.requests.isEmpty)
        try server.step("tills remove Bar")
        let removed = try machine.run(["doctor"]).output
        #expect(
            removed.contains("does not accept this machine's reader: The till was removed"),
            "\(removed)")
        for file in [machine.ledger, machine.keys] { #expect(unsafe access(file, F_OK) != 0) }
        try page.stop()
    }

    @Test("The reader uses a proxy only for servers on other machines")
    func proxy() throws {
        let machine = try Till()
        let proxy = try ScriptedServer([.answer("407 Proxy Authentication Required")])
        let proxies = ["http_proxy": proxy.address, "https_proxy": proxy.address]
        let (far, code) = ("https://till.example", "0000-0000-0000")
        let ended = try machine.run(
            ["reader", "--server", "\(try deadAddress()),\(far)", "--code", code], with: proxies)
        #expect(
            ended.errors.contains(
                "The server \(far) cannot be used: the proxy refused the connection"),
            "\(ended.errors)")
        #expect(proxy.requests.map(\.firstLine) == ["CONNECT till.example:443 HTTP/1.1"])
        // Now as if a server had accepted the code.
        let file = "\(machine.data)/connections.json"
        try machine.write(
            try machine.text(of: file).replacing("\"sim?\"", with: "\"sim\""), to: file)
        let asked = try machine.run(["doctor"], with: proxies).output
        #expect(asked.contains("The variable https_proxy is set"), "\(asked)")
        #expect(proxy.requests.count == 2)
    }

    @Test("A reader that does not fit the server's money is refused, and uses up no code")
    func wrongReader() throws {
        let server = try Till(["TAPCARD_READER": ""])
        try server.step("init --currency USD")
        let page = try CashierPage(server, ["--no-reader"])
        let code = try server.code("tills add Bar")
        let machine = try Till()
        let ended = try machine.run(["reader", "--server", page.address, "--code", code])
        #expect(ended.status == 8)
        #expect(
            ended.errors.contains(
                "This server is for real money, so it cannot use a simulated reader."),
            "\(ended.errors)")
        #expect(ended.errors.contains("Use a real reader with a server for real money."))
        #expect(try server.step("tills list").contains("code not used yet"))
        try page.stop()
    }

    @Test("A proxy's refusal is tried again; only the server's own ends the agent")
    func proxyRefusal() throws {
        let server = try Till()
        let page = try CashierPage(server, ["--no-reader"])
        let machine = try Till()
        try stop(
            try machine.connect(to: page, code: try server.code("tills add Bar")))
        let status = "401 Unauthorized"
        let proxy = try ScriptedServer([
            .answer(status, "<html>"),
            .answer(status, #"{"error":"stale-token","title":"The till was removed."}"#),
        ])
        let ended = try machine.run(["reader", "--server", proxy.address])
        #expect(ended.status == 8)
        #expect(
            ended.errors.contains("retrying: the server responded with status 401"),
            "\(ended.errors)")
        #expect(ended.errors.contains("The server does not accept this till: The till was removed"))
        #expect(proxy.requests.count == 2)
        try page.stop()
    }

    @Test("New addresses are saved once the reader is connected at one of them")
    func addresses() throws {
        let server = try Till()
        let page = try CashierPage(server, ["--no-reader"])
        let (machine, dead) = (try Till(), try deadAddress())
        try stop(
            try machine.connect(to: page, code: try server.code("tills add Bar")))
        let file = "\(machine.data)/connections.json"
        let saved = try machine.text(of: file)
        let lost = try machine.start(["reader", "--server", dead])
        try lost.wait("it is offline") { try lost.errors.contains("Not connected, retrying") }
        try stop(lost)
        #expect(try machine.text(of: file) == saved)
        try stop(try machine.connect("--server", "\(dead),\(page.address)"))
        try stop(try machine.connect())
        #expect(try machine.text(of: file).contains(dead))
        let other = try machine.run(["--reader", "sim:other", "reader"])
        #expect(other.status == 2)
        #expect(
            other.errors.contains("For one that has, run: tapcard --reader sim reader."),
            "\(other.errors)")
        try machine.write(
            try machine.text(of: file).replacing("\"sim\"", with: "\"sim:a b\""), to: file)
        let spaced = try machine.run(["reader"])
        #expect(
            spaced.errors.contains("For one that has, run: tapcard --reader 'sim:a b' reader."),
            "\(spaced.errors)")
        try page.stop()
    }

    @Test("A code is used at the next server if one is offline, but not after a refusal")
    func enrollment() throws {
        let server = try Till()
        let page = try CashierPage(server, ["--no-reader"])
        let (machine, dead) = (try Till(), try deadAddress())
        let code = try server.code("tills add Bar")
        let offline = try machine.run(["reader", "--server", dead, "--code", code])
        #expect(offline.status == 8)
        #expect(
            offline.errors.contains("The server \(dead) cannot be used: no connection"),
            "\(offline.errors)")
        try stop(
            try machine.connect("--server", "\(dead),\(page.address)", "--code", code))
        let other = try ScriptedServer([.answer("200 OK", #"{"till":"Bar"}"#)])
        let refused = try machine.run([
            "reader", "--server", "\(page.address),\(other.address)", "--code", "0000-0000-0000",
        ])
        #expect(
            refused.errors.contains("did not accept the code: This code is not valid"),
            "\(refused.errors)")
        #expect(refused.errors.contains("Check the code. If it is right, get a new one"))
        #expect(other.requests.isEmpty)
        let busy = try ScriptedServer([
            .answer(
                "429 Too Many Requests",
                #"{"error":"too-many-attempts","title":"There were too many unknown codes."}"#)
        ])
        let early = try machine.run(["reader", "--server", busy.address, "--code", code])
        #expect(early.status == 8)
        #expect(early.errors.contains("Wait a minute, then try again."), "\(early.errors)")
        #expect(!early.errors.contains("tapcard tills code"), "\(early.errors)")
        try page.stop()
    }

    @Test("With a pin in its code, a machine needs no file, and believes no other server")
    func pinned() throws {
        let server = try Till()
        let (own, other) = (try Certificate(server), try Certificate(server, "other"))
        let page = try CashierPage(server, ["--no-reader"], certificate: own)
        let address = "https://127.0.0.1:\(page.port)"
        let machine = try Till()
        func enroll(_ code: String, at address: String) throws -> Ended {
            try machine.run(["reader", "--server", address, "--code", code])
        }
        let wrong = try enroll(
            try server.code("tills add Bar --pin \(other.path)"), at: address)
        #expect(wrong.status == 8)
        #expect(
            wrong.errors.contains(
                "Nothing was sent. The reader is not connected; cards and money are unchanged."),
            "\(wrong.errors)")
        #expect(try server.step("tills list").contains("code not used yet"))
        let renewed = try server.code("tills code Bar --pin \(other.path),\(own.path)")
        // Without its pins, the code is sent to nobody without a known certificate.
        let plain = try enroll(String(renewed.prefix { $0 != "." }), at: address)
        #expect(plain.errors.contains("could not prove its identity"), "\(plain.errors)")
        #expect(
            plain.errors.contains("tapcard config set ca-file FILE. Or get a code"),
            "\(plain.errors)")
        for wrong in [String(renewed.dropLast()), renewed + "?"] {
            let ended = try enroll(wrong, at: address)
            #expect(ended.status == 2)
            #expect(
                ended.errors.contains("The part of the code after the dot is wrong or incomplete."),
                "\(ended.errors)")
        }
        let unencrypted = try enroll(renewed, at: try deadAddress())
        #expect(unencrypted.status == 2 && unencrypted.errors.contains("must begin with https:"))
        try stop(try machine.connect("--server", address, "--code", renewed))
        try stop(try machine.connect())
        try page.stop()
        let impostor = try CashierPage(
            server, ["--no-reader", "--port", page.port],
            certificate: try Certificate(server, "impostor"))
        let agent = try machine.start(["reader"])
        try agent.wait("it refuses the other key") {
            try agent.errors.contains(
                "Not connected, retrying: the server's key is not one that the code named")
        }
        try stop(agent)
        try impostor.stop()
    }

    @Test("Only certificates can be pinned")
    func pinRefusals() throws {
        let server = try Till()
        try server.step("init --currency USD")
        try server.write("no certificate", to: server.file("plain.pem"))
        for (files, words) in [
            (server.file("plain.pem"), "There is no certificate in"),
            (server.file("missing.pem"), "does not exist"), ("", "does not exist"),
        ] {
            let ended = try server.run(["tills", "add", "Bar", "--pin", files])
            #expect(ended.status == 1 && ended.errors.contains(words), "\(ended.errors)")
        }
        #expect(!(try server.step("tills list").contains("Bar")))
    }

    /// Puts programs into the folder that note how they are called, in place of systemd's.
    private func putTools(_ machine: Till, status: Int) throws {
        for name in ["systemctl", "loginctl"] {
            try machine.write(
                "#!/bin/sh\necho \"${0##*/} $*\" >>\"$HOME/calls\"\nexit \(status)\n",
                to: "\(machine.file("tools"))/\(name)", mode: 0o700)
        }
    }

    @Test("With --install, systemd gets a service that connects the reader")
    func install() throws {
        let server = try Till()
        let page = try CashierPage(server, ["--no-reader"])
        let machine = try Till()
        let words = [
            "reader", "--install", "--server", page.address, "--code",
            try server.code("tills add Bar"),
        ]
        let authorities = try Certificate(machine)
        // A path that leads there only from some folders.
        let relative = String(repeating: "../", count: 20) + authorities.path.dropFirst()
        let tools = [
            "PATH": machine.file("tools"), "https_proxy": "http://a:b%c@proxy.example",
            "no_proxy": "a\nb", "TAPCARD_CA_FILE": relative,
        ]
        let without = try machine.run(words, with: tools)
        #expect(without.status == 1 && without.errors.contains("does not use systemd"))
        try putTools(machine, status: 1)
        let failed = try machine.run(words, with: tools)
        #expect(failed.status == 1)
        #expect(failed.errors.contains("loginctl enable-linger failed"), "\(failed.errors)")
        #expect(failed.errors.contains("Without systemd, have your system's service manager"))
        try putTools(machine, status: 0)
        let ended = try machine.run(words, with: tools)
        #expect(ended.status == 0, "\(ended.errors)")
        let path = machine.file(".config/systemd/user/tapcard-reader-sim.service")
        #expect(
            try machine.text(of: machine.file("calls"))
                == """
                loginctl enable-linger
                loginctl enable-linger
                systemctl --user enable \(path)
                systemctl --user restart tapcard-reader-sim

                """)
        let unit = try machine.text(of: path)
        for variable in [
            "https_proxy=http://a:b%%c@proxy.example", #"no_proxy=a\nb"#,
            "TAPCARD_CA_FILE=\(authorities.path)",
        ] {
            #expect(unit.contains("Environment=\"\(variable)\"\n"), "\(unit)")
        }
        // What systemd runs.
        let line = try #require(unit.firstMatch(of: /\nExecStart=(.+)\n/)).output.1
        let service = try ChildProcess(
            "/bin/sh", ["-c", "exec \(line)"], environment: ["HOME": machine.home],
            folder: machine.home)
        try service.wait("it is connected") { try service.errors.contains("Connected to") }
        try stop(service)
        try server.step("tills remove Bar")
        let removed = try machine.run(["reader", "--install"], with: tools)
        #expect(removed.status == 8)
        #expect(removed.errors.contains("does not accept this machine's reader"))
        try page.stop()
    }
}
