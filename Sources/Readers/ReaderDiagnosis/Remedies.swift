/// Remedies for problems with readers.
enum Remedies {
    static let stopPCSCD: [Finding.Step] = [
        .run("sudo systemctl stop pcscd.socket pcscd.service")
    ]

    static let pcscd: [Finding.Step] = [
        .run("sudo apt install pcscd"), .run("sudo systemctl enable --now pcscd.socket"),
    ]

    static let restartPCSCD: [Finding.Step] = [
        .say("Restart pcscd:"), .run("sudo systemctl restart pcscd"),
        .say(
            "On a server or over SSH, polkit may deny you access; see docs/READERS.md for a rule "
                + "that grants it."
        ),
    ]

    static func unload(_ driver: String) -> [Finding.Step] {
        // modprobe expects the module's name, which may differ from the driver's name in sysfs.
        let module = driver == "pn533" ? "pn533_usb" : driver
        return [
            .say("Unload it:"), .run("sudo modprobe -r \(module)"),
            .say("To keep it from loading again, also run this in the tapcard folder:"),
            .run("sudo make install-udev"), .say("Or, if you do not have that folder:"),
            .run("echo blacklist \(module) | sudo tee /etc/modprobe.d/tapcard-pn533.conf"),
        ]
    }

    static func permission(on reader: ConnectedReader, user: String) -> [Finding.Step] {
        let join: [Finding.Step] = [
            .run("sudo usermod -aG plugdev \(user)"), .say("Then log in again."),
        ]
        // The udev rule is in effect; the user is just not in the group or has to log in again.
        if reader.node.group == "plugdev", reader.node.mode & 0o060 == 0o060 {
            return [.say("The udev rule is installed; join the plugdev group:")] + join
        }
        let vendor = ReaderModel.hexadecimal(reader.model.vendor)
        let product = ReaderModel.hexadecimal(reader.model.product)
        // The tag uaccess gives access to the user who is logged in at the machine itself; the
        // group is for SSH sessions and services.
        let rule =
            "SUBSYSTEM==\"usb\", ATTR{idVendor}==\"\(vendor)\", ATTR{idProduct}==\"\(product)\", "
            + "TAG+=\"uaccess\", GROUP=\"plugdev\", MODE=\"0660\""
        return [
            .say(
                "Install the udev rules that give the logged-in user access to readers. In the "
                    + "tapcard folder, run:"),
            .run("sudo make install-udev"), .say("Or, if you do not have that folder:"),
            .run("echo '\(rule)' | sudo tee /etc/udev/rules.d/60-tapcard-readers.rules"),
            .run("sudo udevadm control --reload"),
            .run("sudo udevadm trigger --action=change --attr-match=idVendor=\(vendor)"),
            .say(
                "If that is not enough, reconnect the reader; for SSH sessions and services, join "
                    + "the plugdev group:"),
        ] + join
    }

    /// The kernel module for the serial bridges of this vendor.
    static func module(for vendor: UInt16) -> String {
        switch vendor {
        case 0x0403: "ftdi_sio"
        case 0x10C4: "cp210x"
        case 0x067B: "pl2303"
        default: "ch341"
        }
    }
}

extension ReaderSurvey {
    /// The remedy for a reader that cannot be used even though no problem is visible.
    public func remedyForUnresponsiveReader(_ name: ReaderName) -> [Finding.Step] {
        switch name {
        case .simulated:
            return [
                .say(
                    "The simulated reader is a file. Check that you can read and write it, or move "
                        + "it out of the way; then a new one will be created.")
            ]
        case .smartCard: return Remedies.restartPCSCD
        case .libnfc("pn532_uart", _):
            return [
                .say(
                    "Set the PN532's switches to HSU, connect TX to RX and RX to TX, check the "
                        + "power, then turn the board off and back on.")
            ]
        case .libnfc where name.bus != nil:
            return [
                .say(
                    "Set the board's switches to this bus, check the wiring and power, then turn "
                        + "the board off and back on.")
            ]
        case .libnfc("arygon", _), .libnfc("acr122s", _):
            return [.say("Check the cable and power, then turn the reader off and back on.")]
        case .libnfc: return replugSteps(name)
        }
    }

    private func replugSteps(_ name: ReaderName) -> [Finding.Step] {
        let replug = Finding.Step.say(
            "Unplug the reader, wait three seconds, and plug it in again.")
        guard let port = readers.first(where: { self.name(of: $0) == name })?.port else {
            return [replug]
        }
        return [
            replug,
            .say("If that helps only for a while, turn off USB power saving for the reader:"),
            .run("echo on | sudo tee /sys/bus/usb/devices/\(port)/power/control"),
        ]
    }
}
