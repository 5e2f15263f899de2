import CMosquitto
import Glibc
import TapcardDomain

/// A connection to an MQTT broker, used by one actor. libmosquitto runs only inside calls to this
/// class, so its callbacks never run on another thread.
///
/// It never sends DISCONNECT. The broker publishes the will message, which marks this client as
/// offline, only if the connection ends without one.
@safe final class MQTTConnection {
    /// What the callbacks received.
    fileprivate final class Answers {
        /// The broker's result code for the connection; nil until it arrives.
        var connection: Int32?
        /// The ID of the last message that the broker acknowledged.
        var taken: Int32?
    }

    /// A message to publish. The broker retains it if `isKept` is true.
    struct Message {
        let topic: String
        let body: [UInt8]
        let isKept: Bool
    }

    /// How long to wait for a response from the broker.
    private static let limit = Duration.seconds(15)
    /// The keep-alive interval of MQTT, in seconds.
    private static let keepAlive: Int32 = 60
    /// How long one call of libmosquitto waits for the broker, in milliseconds.
    private static let waiting: Int32 = 100
    /// QoS 1: at least once.
    private static let quality: Int32 = 1
    private static let systemAuthorities = "/etc/ssl/certs"

    private let functions: tapcard_mosquitto
    private let client: OpaquePointer
    private let answers = Answers()
    private let uptime: @Sendable () -> Duration

    /// Connects to the broker. The broker publishes `will` when the connection is lost.
    init(
        _ library: MosquittoLibrary, to broker: MQTTBroker, as id: String, will: Message,
        uptime: @escaping @Sendable () -> Duration
    ) throws(ServiceError) {
        functions = library.functions
        self.uptime = uptime
        // The client does not retain the answers. It is destroyed before they are.
        let context = unsafe Unmanaged.passUnretained(answers).toOpaque()
        guard let client = unsafe functions.new_client(id, true, context) else {
            throw ServiceError(.noClient, "libmosquitto could not create a client")
        }
        unsafe self.client = client
        unsafe functions.connect_callback_set(client, whenConnected)
        unsafe functions.publish_callback_set(client, whenPublished)
        try check(
            unsafe functions.will_set(
                client, will.topic, Int32(clamping: will.body.count), will.body,
                MQTTConnection.quality, will.isKept))
        if let login = broker.login {
            try check(unsafe functions.username_pw_set(client, login.user, login.password))
        }
        if broker.isSecure {
            try check(
                unsafe functions.tls_set(
                    client, broker.authorities, MQTTConnection.systemAuthorities, nil, nil, nil))
        }
        try check(
            unsafe functions.connect_async(
                client, broker.host, Int32(broker.port), MQTTConnection.keepAlive))
        try wait { answers.connection != nil }
        try requireAccess()
    }

    deinit { unsafe functions.destroy(client) }

    /// Publishes a message and waits until the broker has acknowledged it.
    func publish(_ message: Message) throws(ServiceError) {
        var number: Int32 = 0
        try check(
            unsafe functions.publish(
                client, &number, message.topic, Int32(clamping: message.body.count), message.body,
                MQTTConnection.quality, message.isKept))
        try wait { answers.taken == number }
    }

    /// Sends and receives whatever is due, such as pings. Throws if the connection is lost.
    func keep() throws(ServiceError) { try work(waiting: 0) }

    private func wait(until isDone: () -> Bool) throws(ServiceError) {
        let end = uptime() + MQTTConnection.limit
        while !isDone() {
            if Task.isCancelled { throw ServiceError(.cancelled, "the watch was stopped") }
            guard uptime() < end else {
                throw ServiceError(.timedOut, "the broker did not answer in time")
            }
            try work(waiting: MQTTConnection.waiting)
        }
    }

    private func work(waiting: Int32) throws(ServiceError) {
        let result = unsafe functions.loop(client, waiting, 1)
        // A broker also closes a connection that it refuses. The refusal is the better error.
        try requireAccess()
        try check(result)
    }

    private func requireAccess() throws(ServiceError) {
        guard let answer = answers.connection, answer != 0 else { return }
        let text = unsafe functions.connack_string(answer).map { unsafe String(cString: $0) } ?? ""
        throw ServiceError(.refused, "the broker refused the connection (\(text))")
    }

    private func check(_ result: Int32) throws(ServiceError) {
        let systemError = errno
        switch mosq_err_t(rawValue: result) {
        case MOSQ_ERR_SUCCESS: return
        case MOSQ_ERR_ERRNO:
            let text = unsafe String(cString: Glibc.strerror(systemError))
            throw ServiceError(.offline, "cannot connect to the broker (\(text))")
        case MOSQ_ERR_EAI: throw ServiceError(.offline, "the broker's host name was not found")
        case MOSQ_ERR_TLS:
            throw ServiceError(
                .certificate,
                "the broker could not prove its identity with its certificate, or does not use TLS")
        default:
            let text = unsafe functions.strerror(result).map { unsafe String(cString: $0) } ?? ""
            throw ServiceError(.cutOff, "the connection to the broker failed (\(text))")
        }
    }
}

private let whenConnected:
    @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, Int32) -> Void = {
        client, context, answer in
        guard let context = unsafe context else { return }
        unsafe answers(context).connection = answer
    }

private let whenPublished:
    @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, Int32) -> Void = {
        client, context, number in
        guard let context = unsafe context else { return }
        unsafe answers(context).taken = number
    }

private func answers(_ context: UnsafeMutableRawPointer) -> MQTTConnection.Answers {
    unsafe Unmanaged<MQTTConnection.Answers>.fromOpaque(context).takeUnretainedValue()
}
