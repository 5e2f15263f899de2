import BlockingLane
import RemoteServices
import TapcardDomain
import TextCodecs

/// Publishes each event to an MQTT broker, at least once. Also publishes whether the watch is
/// online, and the discovery messages for Home Assistant.
package actor MQTTCourier: EventCourier {
    package nonisolated let name = "The MQTT broker"
    package nonisolated let isKept = true
    private let broker: MQTTBroker
    private let topic: MQTTTopic
    private let home: HomeAssistant
    private let uptime: @Sendable () -> Duration
    private var connection: MQTTConnection?
    private nonisolated let lane = BlockingLane(label: "tapcard.mqtt")

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe lane.asUnownedSerialExecutor()
    }

    /// `machine` is the name of this computer. It distinguishes watches that share a topic.
    package init(
        to broker: MQTTBroker, _ topic: MQTTTopic, from machine: String,
        uptime: @escaping @Sendable () -> Duration = ServiceDependencies.system.uptime
    ) {
        (self.broker, self.topic, self.uptime) = (broker, topic, uptime)
        home = HomeAssistant(topic, on: machine)
    }

    package func send(_ entry: EventQueue.Entry) -> Delivery {
        // A broker cannot reject a single message, so it closes the connection instead, right
        // after it has accepted the messages sent by `connected`.
        attempt(.long) { connection throws(ServiceError) in
            try connection.publish(
                MQTTConnection.Message(
                    topic: topic.name, body: Array(entry.body.utf8), isKept: false))
        }
    }

    package func keep() -> Delivery {
        attempt { connection throws(ServiceError) in try connection.keep() }
    }

    package func end() { connection = nil }

    /// `patience` applies to a failure after the connection was established.
    private func attempt(
        _ patience: Patience? = nil, _ body: (MQTTConnection) throws(ServiceError) -> Void
    ) -> Delivery {
        do throws(ServiceError) {
            let connection = try connected()
            do throws(ServiceError) {
                try body(connection)
                return .accepted
            } catch {
                // libmosquitto would resend the message even after it has expired.
                self.connection = nil
                return patience.map { .refused(error.detail, $0) } ?? .failed(error.detail)
            }
        } catch {
            return .failed(error.detail)
        }
    }

    private func connected() throws(ServiceError) -> MQTTConnection {
        if let connection { return connection }
        let new = try MQTTConnection(
            try .load(), to: broker, as: home.id, will: availability("offline"), uptime: uptime)
        for (topic, body) in home.messages {
            try new.publish(
                MQTTConnection.Message(topic: topic, body: Array(body.text.utf8), isKept: true))
        }
        try new.publish(availability("online"))
        connection = new
        return new
    }

    private func availability(_ word: String) -> MQTTConnection.Message {
        MQTTConnection.Message(topic: topic.availability, body: Array(word.utf8), isKept: true)
    }
}
