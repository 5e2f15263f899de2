import CardCryptography
import OperatingSystem
import RemoteServices
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs

extension Parameter<String?> {
    static var webhook: Self {
        .option("webhook", "URL", .word, "Post each event to URL, signed")
    }
    static var webhookSecret: Self {
        .option("webhook-secret", "FILE", .file, "File with the secret (whsec_...) for --webhook")
    }
    static var mqtt: Self {
        .option(
            "mqtt", "URL", .word, "Publish each event to the broker at URL (mqtt:// or mqtts://)")
    }
    static var topic: Self { .option("topic", "TOPIC", .word, "Topic for --mqtt") }
    static var mqttLogin: Self {
        .option("mqtt-login", "FILE", .file, "File with NAME:PASSWORD for the broker")
    }
}

extension Parameter<Int?> {
    static var maximumAge: Self {
        .option(
            "max-age", "SECONDS", .wholeNumber(1...31_536_000, orSay: WatchCommand.notStarted),
            "Drop events older than this instead of delivering them")
    }
}

/// The outputs that deliver from a queue on disk.
extension WatchCommand {
    /// How many events a queue keeps while they cannot be delivered.
    private static let queueLimit = 10_000

    static func queuedOutputs(
        in session: Session, through transport: Transport,
        _ stamp: @escaping @Sendable () -> TapEvent.Stamp,
        say: @escaping @Sendable (String) -> Void
    ) async throws(TapcardError) -> [QueuedOutput] {
        var couriers: [(address: String, courier: any EventCourier)] = []
        if let url = session[.webhook] {
            couriers.append((url, try webhook(url, in: session, through: transport)))
        }
        if let url = session[.mqtt] {
            let topic = session[.topic].flatMap(MQTTTopic.init)
            guard let topic else {
                throw refusal(
                    session[.topic].map {
                        "\($0.quotation) is not a topic that a program can publish to"
                    } ?? "--mqtt needs a topic to publish to",
                    "Use one such as --topic tapcard/taps. The wildcards + and # are not allowed, "
                        + "nor a topic that begins with $.")
            }
            couriers.append((url + " " + topic.name, try mqtt(url, topic, in: session)))
        }
        let dependencies = session.dependencies
        var outputs: [QueuedOutput] = []
        for (address, courier) in couriers {
            let output = QueuedOutput(
                courier, try queue(for: address, in: session, stamp),
                maximumAge: session[.maximumAge].map { .seconds($0) }, now: dependencies.now,
                sleep: dependencies.sleep, say: say)
            await output.begin()
            outputs.append(output)
        }
        return outputs
    }

    private static func webhook(
        _ url: String, in session: Session, through transport: Transport
    ) throws(TapcardError) -> WebhookCourier {
        let address = try translating(ServiceAddress(url)) { (error: ServiceError) in
            refusal("The value of --webhook is not a valid address: \(error.detail)")
        }
        let advice =
            "To make one, run: (umask 077; echo whsec_$(head -c 32 /dev/urandom | base64) > FILE)"
        guard let path = session[.webhookSecret] else {
            throw refusal(
                "--webhook needs a secret, so that its server can detect forged events",
                "Add --webhook-secret FILE. " + advice)
        }
        guard let secret = WebhookCourier.secret(try text(of: path, "--webhook-secret")) else {
            throw refusal(
                "\(path) contains no webhook secret (whsec_ and 24 to 64 bytes in Base64)",
                advice)
        }
        return WebhookCourier(
            to: address.text, secret: secret,
            through: transport(try session.settings.authorities, false),
            now: session.dependencies.now)
    }

    private static func mqtt(
        _ url: String, _ topic: MQTTTopic, in session: Session
    ) throws(TapcardError) -> MQTTCourier {
        var login: MQTTBroker.Login?
        if let path = session[.mqttLogin] {
            login = MQTTBroker.Login(try text(of: path, "--mqtt-login"))
            guard login != nil else { throw refusal("\(path) does not contain NAME:PASSWORD") }
        }
        let authorities = try session.settings.authorities
        let broker = try translating(
            MQTTBroker(url, login: login, authorities: authorities)
        ) { (error: ServiceError) in
            refusal("The value of --mqtt is not a valid address: \(error.detail)")
        }
        // The name is empty if the host name cannot be read.
        let name = try? DurableFile("/proc/sys/kernel/hostname").read()
        let machine = String(decoding: name ?? [], as: UTF8.self).filter { !$0.isWhitespace }
        return MQTTCourier(to: broker, topic, from: machine.shown)
    }

    /// Reads a secret from the first line of a file. Refuses a file that other users can use.
    static func text(of path: String, _ option: String) throws(TapcardError) -> String {
        let bytes = try translating(DurableFile(path).readStream()) { (error: FileError) in
            refusal("The file for \(option) cannot be read: \(error.detail)")
        }
        guard let bytes else { throw refusal("The file for \(option) does not exist") }
        // If the permissions cannot be read, reading the file has already failed.
        if let mode = try? DurableFile(path).permissionsForOthers() {
            throw refusal(
                "Other users have access to the file for \(option) (mode "
                    + "\(String(mode, radix: 8)))",
                "If you are sure that no other user has read it, run: chmod 600 \(path)")
        }
        return String(decoding: bytes.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
    }

    /// Opens the queue for this address. Only one watch can use it at a time.
    private static func queue(
        for address: String, in session: Session,
        _ stamp: @escaping @Sendable () -> TapEvent.Stamp
    ) throws(TapcardError) -> EventQueue {
        // An address may contain a token, or characters that are not allowed in a file name.
        let name = Hexadecimal.encode(SHA256.digest(Array(address.utf8)).prefix(8))
        let folder = session.settings.dataFolder + "/watch/" + name
        let queue = try translating(
            EventQueue(folder, limit: queueLimit, stamp)
        ) { (error: FileError) in
            TapcardError(
                .fileUnusable, "The event queue cannot be used: \(error.detail).",
                meaning: notStarted)
        }
        guard let queue else {
            throw refusal(
                "Another watch already delivers to \(address)",
                "Stop that watch, or use another address.")
        }
        return queue
    }
}
