/// The commands that fix the problems found.
enum Remedies {
    static let stopPCSCD: [Finding.Step] = [
        .run("sudo systemctl stop pcscd.socket pcscd.service")
    ]

    static let pcscd: [Finding.Step] = [
        .run("sudo apt install pcscd"), .run("sudo systemctl enable --now pcscd.socket"),
    ]

    static let restartPCSCD: [Finding.Step] = [
        .say("Start pcscd afresh:"), .run("sudo systemctl restart pcscd"),
        .say(
            "On a server, and over SSH, its polkit rule may keep you out; docs/READERS.md says what "
                + "to allow."),
    ]

    static func unload(_ driver: String) -> [Finding.Step] {
        // The name of a driver in sysfs is not always that of its module for modprobe.
        let module = driver == "pn533" ? "pn533_usb" : driver
        return [
            .say("Unload it:"), .run("sudo modprobe -r \(module)"),
            .say("and keep it from coming back; in tapcard's folder:"),
            .run("sudo make install-udev"), .say("or without that folder:"),
            .run("echo blacklist \(module) | sudo tee /etc/modprobe.d/tapcard-pn533.conf"),
        ]
    }

    static func permission(on reader: PluggedReader, user: String) -> [Finding.Step] {
        let join: [Finding.Step] = [
            .run("sudo usermod -aG plugdev \(user)"), .say("Then log in again."),
        ]
        // The rule works: it is only this user's login that lacks the group.
        if reader.node.group == "plugdev", reader.node.mode & 0o060 == 0o060 {
            return [.say("Its rule is in place; join the group plugdev:")] + join
        }
        let vendor = ReaderModel.hexadecimal(reader.model.vendor)
        let product = ReaderModel.hexadecimal(reader.model.product)
        // uaccess is for whoever sits at the machine; the group is for SSH and services.
        let rule =
            "SUBSYSTEM==\"usb\", ATTR{idVendor}==\"\(vendor)\", ATTR{idProduct}==\"\(product)\", "
            + "TAG+=\"uaccess\", GROUP=\"plugdev\", MODE=\"0660\""
        return [
            .say(
                "Install the rules that give readers to whoever is logged in; in tapcard's "
                    + "folder:"),
            .run("sudo make install-udev"), .say("or without that folder:"),
            .run("echo '\(rule)' | sudo tee /etc/udev/rules.d/60-tapcard-readers.rules"),
            .run("sudo udevadm control --reload"),
            .run("sudo udevadm trigger --action=change --attr-match=idVendor=\(vendor)"),
            .say(
                "If it is not enough, unplug the reader and plug it in again. Over SSH, and for "
                    + "services, join the group plugdev:"),
        ] + join
    }

    /// The kernel module for a serial bridge, by vendor.
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
    /// The remedy for a reader that looks fine but cannot be used.
    public func stubbornRemedy(_ name: ReaderName) -> [Finding.Step] {
        switch name {
        case .simulated:
            return [
                .say(
                    "A simulated reader is a file: see that it can be read and written, or move it "
                        + "away; then a fresh one is made.")
            ]
        case .smartCard: return Remedies.restartPCSCD
        case .libnfc("pn532_uart", _):
            return [
                .say(
                    "Set the board's switches to HSU, join its TX to the bridge's RX and its RX to "
                        + "TX, give it power, and switch it off and on again.")
            ]
        case .libnfc where name.bus != nil:
            return [
                .say(
                    "Set the board's switches to this bus, look over its wires, give it power, and "
                        + "switch it off and on again.")
            ]
        case .libnfc("arygon", _), .libnfc("acr122s", _):
            return [.say("Look over its cable and its power; switch it off and on again.")]
        case .libnfc: return unplugging(name)
        }
    }

    private func unplugging(_ name: ReaderName) -> [Finding.Step] {
        let again = Finding.Step.say("Unplug it, count to three, and plug it in again.")
        guard let port = readers.first(where: { self.name(of: $0) == name })?.port else {
            return [again]
        }
        return [
            again,
            .say("If that helps once and no more, keep the kernel from putting it to sleep:"),
            .run("echo on | sudo tee /sys/bus/usb/devices/\(port)/power/control"),
        ]
    }
}
