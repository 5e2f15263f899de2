import BlockingLane
import Bridge
import Foundation
import OperatingSystem
import TapcardCore
import TapcardDomain
import TestSupport
import Testing
import TextCodecs

@Suite("Events over MQTT, to Debian's broker", .ownThread, .timeLimit(.minutes(3)))
struct MQTTOutputTests {
    private let events = SampleEvents()
    private let said = Guarded<[String]>([])
    private let topic: MQTTTopic

    init() throws { topic = try #require(MQTTTopic("home/taps")) }

    private func output(
        to port: UInt16, scheme: String = "mqtt", login: MQTTBroker.Login? = nil,
        authorities: String? = nil, step: Int64 = 0, uptime: (@Sendable () -> Duration)? = nil
    ) async throws -> QueuedOutput {
        let queue = try #require(try EventQueue(TestPath.new("queue"), limit: 100, events.stamp))
        let broker = try MQTTBroker(
            "\(scheme)://127.0.0.1:\(port)", login: login, authorities: authorities)
        let start = ContinuousClock.now
        let output = QueuedOutput(
            MQTTCourier(
                to: broker, topic, from: "till", uptime: uptime ?? { start.duration(to: .now) }),
            queue, maximumAge: nil, now: events.dependencies.now,
            sleep: { [events] pause in
                events.seconds.withLock { $0 += step }
                try await Task.sleep(for: min(pause, .milliseconds(10)))
            },
            say: { [said] text in said.withLock { $0.append(text) } })
        await output.begin()
        return output
    }

    private func wait(until isTrue: () -> Bool) async throws {
        while !isTrue() { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// The tags in the published events, in order and without duplicates.
    private static func numbers(_ lines: [String]) -> [Int] {
        var numbers: [Int] = []
        for line in lines where line.contains(" home/taps {") {
            let document = try? JSONValue.parsing(Array(line.drop { $0 != "{" }.utf8))
            guard let number = document?.numberOfArrival, number != numbers.last else { continue }
            numbers.append(number)
        }
        return numbers
    }

    private func broker(_ lines: [String] = ["allow_anonymous true"]) throws -> Broker {
        try Broker(in: TestPath.new("broker"), lines)
    }

    @Test("Events arrive in order, and the broker retains whether the watch is online")
    func published() async throws {
        let broker = try broker()
        try await broker.start()
        let lines = try await broker.listen("first")
        let output = try await output(to: broker.port)
        for number in 1...20 { _ = await output.take(events.arrival(number)) }
        try await lines.wait { Self.numbers($0).count == 20 }
        #expect(Self.numbers(lines.all) == Array(1...20))
        let later = try await broker.listen("second")
        try await later.wait { $0.contains("1 home/taps/availability online") }
        // Events are not retained, because a late subscriber must not open a door.
        #expect(!later.all.contains { $0.hasPrefix("1 home/taps {") })
        await output.end()
        try await later.wait { $0.contains("0 home/taps/availability offline") }
        let last = try await broker.listen("third")
        try await last.wait { $0.contains("1 home/taps/availability offline") }
        #expect(said.withLock { $0 } == [])
    }

    @Test("Home Assistant discovers the tags and counts only arrivals as scans")
    func discovery() async throws {
        let broker = try broker()
        try await broker.start()
        let output = try await output(to: broker.port)
        let first = try await broker.listen("first")
        try await first.wait { $0.contains { $0.hasSuffix("/availability online") } }
        // Everything has been published, so this subscriber receives the retained messages.
        let lines = try await broker.listen("home")
        try await lines.wait { $0.contains { $0.hasSuffix("/availability online") } }
        await output.end()
        func document(_ component: String) throws -> JSONValue {
            let line = try #require(
                lines.all.first { $0.contains(" homeassistant/\(component)/tapcard-") })
            #expect(line.hasPrefix("1 ") && line.contains("/config {"))
            return try JSONValue.parsing(Array(line.drop { $0 != "{" }.utf8))
        }
        let (tag, sensor) = (try document("tag"), try document("sensor"))
        #expect(tag["topic"]?.string == "home/taps")
        #expect(
            tag["value_template"]?.string
                == "{{ value_json.uid if value_json.event == 'arrived' and value_json.uid else '' }}"
        )
        #expect(sensor["state_topic"]?.string == "home/taps")
        #expect(sensor["availability_topic"]?.string == "home/taps/availability")
        #expect(tag["device"]?["identifiers"] == sensor["device"]?["identifiers"])
    }

    @Test("Events from an outage are published in order once the broker is back")
    func restarted() async throws {
        let broker = try broker()
        try await broker.start()
        let lines = try await broker.listen("patient")
        let output = try await output(to: broker.port)
        _ = await output.take(events.arrival(1))
        try await lines.wait { Self.numbers($0) == [1] }
        broker.stop()
        try await wait { said.withLock { $0.count } == 1 }
        for number in 2...4 { _ = await output.take(events.arrival(number)) }
        try await broker.start()
        try await lines.wait { Self.numbers($0).count == 4 }
        try await wait { said.withLock { $0.count } == 2 }
        await output.end()
        #expect(Self.numbers(lines.all) == [1, 2, 3, 4])
        #expect(said.withLock { $0.last } == "The MQTT broker accepts events again.")
    }

    @Test("An event that a broker never accepts is dropped after an hour, and later ones are sent")
    func refusedEvent() async throws {
        let broker = try broker(["allow_anonymous true", "max_packet_size 2000"])
        try await broker.start()
        let lines = try await broker.listen("all")
        let events = events
        let output = try await output(to: broker.port, step: 300)
        _ = await output.take(
            events.arrival(1, text: [UInt8](repeating: UInt8(ascii: "x"), count: 4_000)))
        _ = await output.take(events.arrival(2))
        try await lines.wait { Self.numbers($0) == [2] }
        await output.end()
        let gap = try #require(lines.all.first { $0.contains(" home/taps {") })
        #expect(gap.contains(#""missed":1"#))
        #expect(said.withLock { $0.contains { $0.contains("repeatedly rejected") } })
    }

    @Test("Nothing is sent to a broker unless its certificate is trusted and names it")
    func certificate() async throws {
        let folder = TestPath.new("tls")
        try DurableFile.makeFolder(folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for (name, names) in [("right", "IP:127.0.0.1"), ("other", "DNS:bank.example")] {
            try Self.makeCertificate("\(folder)/\(name)", names)
            let plainPort = try Loopback.portForProgram()
            let broker = try broker([
                "allow_anonymous true", "certfile \(folder)/\(name).pem",
                "keyfile \(folder)/\(name).key", "listener \(plainPort) 127.0.0.1",
            ])
            try await broker.start()
            let trusting = "\(folder)/\(name).pem"
            for authorities in name == "right" ? [nil] : [nil, trusting] {
                said.withLock { $0 = [] }
                let stranger = try await output(
                    to: broker.port, scheme: "mqtts", authorities: authorities)
                try await wait { said.withLock { !$0.isEmpty } }
                await stranger.end()
                #expect(said.withLock { $0[0].contains("could not prove its identity") })
            }
            guard name == "right" else { continue }
            // mosquitto_sub 2.0.11 may wait forever over TLS.
            let lines = try await broker.listen("plain", ["-p", "\(plainPort)"])
            let output = try await output(
                to: broker.port, scheme: "mqtts", authorities: trusting)
            _ = await output.take(events.arrival(7))
            try await lines.wait { Self.numbers($0) == [7] }
            await output.end()
        }
    }

    private static func makeCertificate(_ path: String, _ names: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-days", "2", "-subj", "/CN=tapcard test", "-addext", "subjectAltName=\(names)",
            "-keyout", path + ".key", "-out", path + ".pem",
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    @Test("A wrong password is refused, and the right one is accepted")
    func login() async throws {
        let passwords = TestPath.new("passwords")
        defer { try? DurableFile(passwords).remove() }
        let maker = Process()
        maker.executableURL = URL(filePath: "/usr/bin/mosquitto_passwd")
        maker.arguments = ["-c", "-b", passwords, "till", "secret"]
        try maker.run()
        maker.waitUntilExit()
        let broker = try broker(["allow_anonymous false", "password_file \(passwords)"])
        try await broker.start()
        for login in [nil, MQTTBroker.Login("till:guess")] {
            said.withLock { $0 = [] }
            let stranger = try await output(to: broker.port, login: login)
            try await wait { said.withLock { !$0.isEmpty } }
            await stranger.end()
            #expect(said.withLock { $0[0].contains("refused the connection") })
        }
        let lines = try await broker.listen("known", ["-u", "till", "-P", "secret"])
        let output = try await output(to: broker.port, login: MQTTBroker.Login("till:secret"))
        _ = await output.take(events.arrival(1))
        try await lines.wait { Self.numbers($0) == [1] }
        await output.end()
    }

    @Test("A broker that never answers or sends garbage is reported as failing")
    func hostile() async throws {
        let (silent, port) = try Loopback.listen(backlog: 8)
        defer { close(silent) }
        let time = Guarded(Duration.zero)
        let output = try await output(
            to: port,
            uptime: {
                time.withLock { time in
                    time += .seconds(4)
                    return time
                }
            })
        try await wait { said.withLock { !$0.isEmpty } }
        #expect(said.withLock { $0[0].contains("did not answer in time") })
        await output.end()
        said.withLock { $0 = [] }
        let (talker, otherPort) = try Loopback.listen(backlog: 8)
        defer { close(talker) }
        let other = try await self.output(to: otherPort, uptime: { time.withLock { $0 } })
        let connection = accept(talker, nil, nil)
        defer { close(connection) }
        let nonsense = Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)
        _ = unsafe send(connection, nonsense, nonsense.count, Int32(MSG_NOSIGNAL))
        try await wait {
            time.withLock { $0 += .seconds(1) }
            return said.withLock { !$0.isEmpty }
        }
        await other.end()
    }

    @Test(
        "Addresses of brokers",
        arguments: [
            ("mqtt://broker.local", "broker.local", 1_883), ("mqtts://b/", "b", 8_883),
            ("mqtt://10.0.0.1:1884", "10.0.0.1", 1_884), ("mqtt://[::1]", "::1", 1_883),
            ("mqtts://[fe80::2]:99", "fe80::2", 99),
        ])
    func address(_ text: String, _ host: String, _ port: UInt16) throws {
        let broker = try MQTTBroker(text, login: nil, authorities: nil)
        #expect(broker.host == host && broker.port == port)
        #expect(broker.isSecure == text.hasPrefix("mqtts"))
    }

    @Test(
        "Invalid addresses of brokers",
        arguments: [
            "", "mqtt://", "http://b", "mqtt://u:p@b", "mqtt://b/topic", "mqtt://b:0", "mqtt://b//",
            "mqtt://b:99999", "mqtt://b?x", "b:1883",
        ])
    func noAddress(_ text: String) {
        #expect(throws: ServiceError.self) {
            try MQTTBroker(text, login: nil, authorities: nil)
        }
    }

    @Test("The name in a login ends at the first colon", arguments: ["", "name", ":password"])
    func noLogin(_ text: String) throws {
        let login = try #require(MQTTBroker.Login("a:b:c"))
        #expect(login.user == "a" && login.password == "b:c")
        #expect(MQTTBroker.Login(text) == nil)
    }

    @Test("Invalid topics are rejected", arguments: ["", "a/#", "+/b", "$SYS/x", "a\u{0}", "a\n"])
    func noTopic(_ text: String) { #expect(MQTTTopic(text) == nil) }
}
