extension ReaderSurvey {
    /// The findings about these readers. If a name is given, only the findings about that reader.
    public func findings(about requested: ReaderName? = nil) -> [Finding] {
        // A port is matched by its path alone, regardless of any speed in the name.
        let name = requested.map { name in
            ports.first { $0.node.path == name.portPath }?.name ?? name
        }
        if let name, !isKnown(name) { return findings(aboutUnknown: name) }
        let concerns = { (own: ReaderName?) in name == nil || own == name }
        var findings: [Finding] = name == nil ? [busFinding] : []
        findings += libraryFindings
        for reader in readers where reader.isReader && concerns(self.name(of: reader)) {
            findings += self.findings(on: reader)
        }
        for port in ports where concerns(port.name) {
            findings.append(finding(on: port, isRequested: name != nil))
        }
        if name == nil { findings += bridgesWithoutPort.map(bridgeFinding) }
        return findings
    }

    /// Whether a reader with this name is in the survey.
    public func isKnown(_ name: ReaderName) -> Bool { rows.contains { $0.name == name } }

    private var busFinding: Finding {
        // Missing USB is a problem only if no reader is usable: a reader on a serial port, or one
        // driven by pcscd, works even if USB is not visible here.
        let severity: Finding.Severity = rows.contains(where: \.isUsable) ? .note : .problem
        let simulated = "If you have no reader, use the simulated one:"
        switch bus {
        case .absent:
            return Finding(
                .noUSB, severity,
                "This machine has no USB (/sys/bus/usb is missing); it may be a container, or a "
                    + "virtual machine without USB.",
                remedy: [
                    .say(
                        "Run tapcard on the host, or pass the reader into the container with:"),
                    .run("docker run --device /dev/bus/usb ..."),
                    .say("Or attach the reader to the virtual machine as a USB host device."),
                    .say(simulated), .run("tapcard --reader sim read"),
                ])
        case .present(let count):
            let found = readers.filter(\.isReader).count
            guard found == 0 else {
                return Finding(
                    .usb, .ok,
                    found == 1
                        ? "1 reader is plugged in."
                        : "\(found) readers are plugged in.")
            }
            let others =
                switch count {
                case 0: "; no other USB device is connected either."
                case 1: "; the only USB device is not a reader."
                default: "; none of the \(count) USB devices is a known reader."
                }
            return Finding(
                .noReader, severity, "No NFC reader is plugged in" + others,
                remedy: [
                    .say(
                        "Connect a reader directly, without a hub if possible, and check that "
                            + "the kernel lists it:"),
                    .run("lsusb"),
                    .say(
                        "A PN532 board on a serial port must be specified by name: "
                            + "`--reader pn532_uart:/dev/ttyUSB0`."),
                    .say(simulated), .run("tapcard --reader sim read"),
                ])
        }
    }

    /// The findings about a reader that has no row, because it is missing or because a survey
    /// cannot see readers of its kind.
    private func findings(aboutUnknown name: ReaderName) -> [Finding] {
        switch pathRefusal {
        case .missing(let path):
            if let bus = name.bus { return [bus.missing(path, name)] }
            return [
                Finding(
                    .noPath, .problem, reader: name, "\(path) does not exist.",
                    remedy: [
                        .say("Connect the board, then list the devices:"),
                        .run("tapcard readers"),
                    ])
            ]
        case .noSerialPort(let path):
            return [
                Finding(
                    .noSerialPort, .problem, reader: name, "\(path) is not a serial port.",
                    remedy: [.say("Find the port of the board:"), .run("tapcard readers")])
            ]
        case .notOnBus(let path):
            return name.bus.map { [$0.unsuitable(path, name)] } ?? []
        case nil: break
        }
        // Only opening the reader shows what is connected there.
        if name.isUnseen {
            let denied = busNode.flatMap { node in
                node.access == .denied ? name.bus?.denied(node, name, user: user) : nil
            }
            return libraryFindings(isNeeded: true) + [denied].compactMap { $0 }
        }
        // Of the remaining kinds, only a pcscd reader can be connected without having a row.
        guard case .smartCard(let part) = name else { return [notPluggedIn(name)] }
        return smartCardFindings(name, part: part)
    }

    private var libraryFindings: [Finding] {
        libraryFindings(
            isNeeded: !ports.isEmpty
                || readers.contains {
                    if case .libnfc = $0.model.service { true } else { false }
                })
    }

    private func libraryFindings(isNeeded: Bool) -> [Finding] {
        switch libnfc {
        case .notAsked: return []
        case .missing:
            return [
                Finding(
                    .libnfcMissing, isNeeded ? .problem : .note,
                    "libnfc is not installed: ACR122U, PN532, and PN533 readers need it.",
                    remedy: [.run("sudo apt install libnfc6")])
            ]
        case .version(let version):
            return [Finding(.libnfc, .ok, "libnfc \(version) is installed.")]
        case .unusable(let why):
            return [
                Finding(
                    .libnfcOther, isNeeded ? .problem : .note, "\(why).",
                    remedy: [
                        .say("Use your distribution's libnfc:"),
                        .run("sudo apt install --reinstall libnfc6"),
                    ])
            ]
        }
    }

    private func notPluggedIn(_ name: ReaderName) -> Finding {
        let known = rows.compactMap(\.name?.text)
        let others =
            known.isEmpty
            ? "No other reader is connected."
            : "Other readers and ports: "
                + known.joined(separator: ", ") + "."
        let hint =
            name.isOnUSB
            ? " The number of a USB reader changes each time it is reconnected." : ""
        return Finding(
            .notPluggedIn, .problem, reader: name, "\(name) is not connected.\(hint)",
            remedy: [.say(others), .run("tapcard readers")])
    }

    /// The findings about a reader that only pcscd can find.
    private func smartCardFindings(_ name: ReaderName, part: String) -> [Finding] {
        if smartCardService == .absent {
            return [
                Finding(
                    .pcscdMissing, .problem, reader: name,
                    "\(name) needs pcscd, which is not running.", remedy: Remedies.pcscd)
            ]
        }
        guard let smartCardReaders else {
            return [unusableSmartCards(name, "\(name) needs pcscd")]
        }
        // Part of a name is enough. Whether only one reader matches is checked when the reader is
        // opened.
        return smartCardReaders.contains { $0.lowercased().contains(part.lowercased()) }
            ? [] : [notPluggedIn(name)]
    }

    func unusableSmartCards(_ name: ReaderName?, _ subject: String) -> Finding {
        let why = smartCardRefusal.map { ": \($0)." } ?? "."
        return Finding(
            .pcscdUnusable, .problem, reader: name, "\(subject), which cannot be used\(why)",
            remedy: Remedies.restartPCSCD)
    }

    /// The serial bridges that are plugged in but have no serial port in /dev.
    private var bridgesWithoutPort: [ConnectedReader] {
        readers.filter { reader in
            !reader.isReader && !ports.contains { $0.bridge?.numbers == reader.model.numbers }
        }
    }

    private func bridgeFinding(_ bridge: ConnectedReader) -> Finding {
        Finding(
            .bridgeWithoutPort, .note,
            "\(describe(bridge)) is connected, but /dev has no serial port for it.",
            remedy: [
                .say("If it belongs to a PN532 board, load the kernel module:"),
                .run("sudo modprobe \(Remedies.module(for: bridge.model.vendor))"),
            ])
    }

    func describe(_ reader: ConnectedReader) -> String {
        "\(reader.model.make) (\(reader.model.numbers), bus \(reader.bus), "
            + "device \(reader.address))"
    }
}
