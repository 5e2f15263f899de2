/// A mainboard bus to which a PN532 board can be connected. The raw value is the name of libnfc's
/// driver.
public enum MainboardBus: String, Sendable, Hashable, CaseIterable {
    case spi = "pn532_spi"
    case i2c = "pn532_i2c"

    /// The kernel's class for such devices, which is also their subsystem in udev rules.
    public var deviceClass: String {
        switch self {
        case .spi: "spidev"
        case .i2c: "i2c-dev"
        }
    }

    var word: String {
        switch self {
        case .spi: "SPI"
        case .i2c: "I2C"
        }
    }

    /// The group that Debian and Raspberry Pi OS assign to such devices.
    var group: String {
        switch self {
        case .spi: "spi"
        case .i2c: "i2c"
        }
    }

    /// A shell pattern that matches the device nodes.
    private var pattern: String {
        switch self {
        case .spi: "/dev/spidev*"
        case .i2c: "/dev/i2c-*"
        }
    }

    private var list: [Finding.Step] {
        [.say("List the devices on the bus:"), .run("ls \(pattern)")]
    }

    func missing(_ path: String, _ name: ReaderName) -> Finding {
        Finding(
            .noPath, .problem, reader: name, "\(path) does not exist; \(word) may be disabled.",
            remedy: [
                .say("On a Raspberry Pi, enable it and reboot:"),
                .run("sudo raspi-config nonint do_\(group) 0"),
                .say("On other machines, see docs/READERS.md."),
            ] + list)
    }

    func unsuitable(_ path: String, _ name: ReaderName) -> Finding {
        Finding(
            .noBus, .problem, reader: name, "\(path) is not a device on the \(word) bus.",
            remedy: list)
    }

    /// The finding that access is denied. The remedy never opens a bus to all users, because other
    /// chips may be on the bus, and a wrong byte can destroy some chips.
    func denied(_ node: DeviceNode, _ name: ReaderName, user: String) -> Finding {
        let join = Finding.Step.run("sudo usermod -aG \(node.group) \(user)")
        let rule = "SUBSYSTEM==\"\(deviceClass)\", GROUP=\"\(group)\", MODE=\"0660\""
        let remedy: [Finding.Step] =
            // The group already has read and write access, so the user only has to join it.
            if node.group != "root", node.mode & 0o060 == 0o060 {
                [.say("Join the device's group, then log in again:"), join]
            } else {
                [
                    .say("Assign the device to a group, join that group, then log in again:"),
                    .run("sudo groupadd --force --system \(group)"),
                    .run("echo '\(rule)' | sudo tee /etc/udev/rules.d/60-tapcard-\(group).rules"),
                    .run("sudo udevadm control --reload"),
                    .run(
                        "sudo udevadm trigger --action=change --subsystem-match=\(deviceClass)"),
                    .run("sudo usermod -aG \(group) \(user)"),
                ]
            }
        return Finding(
            .noPermission, .problem, reader: name,
            "You do not have permission to use the \(word) device \(node.path) (owner "
                + "\(node.owner), group \(node.group), mode \(node.octalMode)).", remedy: remedy)
    }
}
