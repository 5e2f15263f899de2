import CardCryptography
import TextCodecs

/// The discovery messages that add the reader and its last tag to Home Assistant.
struct HomeAssistant {
    /// Identifies this computer and the topic. It is the same after a restart.
    let id: String
    private let machine: String
    private let topic: MQTTTopic

    init(_ topic: MQTTTopic, on machine: String) {
        (self.topic, self.machine) = (topic, machine)
        let digest = SHA256.digest(Array("\(machine)\n\(topic.name)".utf8))
        id = "tapcard-" + Hexadecimal.encode(digest.prefix(8))
    }

    /// The topics and their messages, which the broker retains.
    var messages: [(topic: String, body: JSONValue)] {
        let device: JSONValue = [
            "identifiers": [.string(id)], "name": .string("tapcard on \(machine)"),
            "manufacturer": "tapcard",
        ]
        return [
            (
                "homeassistant/tag/\(id)/config",
                [
                    "topic": .string(topic.name), "device": device,
                    // Home Assistant ignores an empty result, so a departure does not count as a
                    // scan.
                    "value_template": .string(HomeAssistant.template(orElse: "''")),
                ]
            ),
            (
                "homeassistant/sensor/\(id)/config",
                [
                    "name": "Last tag", "unique_id": .string(id + "-last"),
                    "state_topic": .string(topic.name),
                    "value_template": .string(HomeAssistant.template(orElse: "this.state")),
                    "availability_topic": .string(topic.availability), "device": device,
                ]
            ),
        ]
    }

    private static func template(orElse other: String) -> String {
        "{{ value_json.uid if value_json.event == 'arrived' and value_json.uid else \(other) }}"
    }
}
