extension ReaderSurvey {
    /// Everything that keeps a reader from being used. If nothing does, the first finding says that
    /// the reader is ready.
    func findings(on reader: ConnectedReader) -> [Finding] {
        let found: [Finding]
        switch reader.model.service {
        case .libnfc: found = libnfcFindings(on: reader)
        case .smartCard(let word): found = smartCardFindings(on: reader, word)
        case .unsupported(let advice):
            found = [
                Finding(
                    .unsupported, .problem,
                    "\(describe(reader)) is recognized but not supported.",
                    remedy: [.say(advice)])
            ]
        case .serialBridge: found = []
        }
        guard found.allSatisfy({ $0.severity != .problem }), state(of: reader) == .ready else {
            return found
        }
        let usesPCSCD = if case .smartCard = reader.model.service { true } else { false }
        let what =
            usesPCSCD
            ? "is connected and available through pcscd."
            : "is connected, free, and accessible to you."
        let name = self.name(of: reader)
        return [Finding(.ready, .ok, reader: name, "\(describe(reader)) \(what)")] + found
    }

    private func libnfcFindings(on reader: ConnectedReader) -> [Finding] {
        let name = self.name(of: reader)
        var found: [Finding] = []
        for holder in reader.holders { found.append(finding(on: reader, heldBy: holder)) }
        switch reader.node.access {
        case .readAndWrite: break
        case .denied: found.append(permissionFinding(on: reader))
        case .missing:
            found.append(
                Finding(
                    .noNode, .problem, reader: name,
                    "\(describe(reader)) has no device node \(reader.node.path).",
                    remedy: [
                        .say("A container has only the device nodes it was given; start it with:"),
                        .run("docker run --device /dev/bus/usb ..."),
                        .say("On the host, reconnect the reader."),
                    ]))
        }
        // pcscd claims every CCID reader when it starts, so the reader goes to whichever program
        // claims it first.
        if reader.holders.isEmpty, reader.model.smartCardWord != nil,
            case .running(let pid) = smartCardService
        {
            found.append(
                Finding(
                    .pcscdNear, .note, reader: name,
                    "pcscd (process \(pid)) also claims this model, so either program may get the "
                        + "reader.",
                    remedy: [.say("Stop pcscd, unless another program needs it:")]
                        + Remedies.stopPCSCD))
        }
        return found
    }

    private func finding(on reader: ConnectedReader, heldBy holder: ReaderHolder) -> Finding {
        let name = self.name(of: reader)
        if isPCSCD(holder, reader) { return pcscdFinding(on: reader) }
        switch holder {
        case .kernel(let driver):
            return Finding(
                .kernelModule, .problem, reader: name,
                "\(describe(reader)) is held by the kernel module \(driver).",
                remedy: Remedies.unload(driver))
        case .program(let pid, let program):
            return Finding(
                .heldByProgram, .problem, reader: name,
                "\(describe(reader)) is in use by \(program) (process \(pid)).",
                remedy: [.say("Quit that program, or end its process:"), .run("kill \(pid)")])
        case .unknownProgram:
            return Finding(
                .heldByProgram, .problem, reader: name,
                "\(describe(reader)) is in use by another user's program.",
                remedy: [
                    .say("Find the program and close it:"),
                    .run("sudo fuser -v \(reader.node.path)"),
                ])
        }
    }

    private func pcscdFinding(on reader: ConnectedReader) -> Finding {
        let word = reader.model.smartCardWord ?? reader.model.make
        let offered = self.offered(word)
        // This comes before the advice to stop pcscd, because other programs may need pcscd.
        let use: [Finding.Step] =
            if let smartCardRefusal {
                [.say("The reader cannot be used through pcscd: \(smartCardRefusal).")]
            } else if let offered {
                [
                    .say("Use it through pcscd:"),
                    .run("tapcard --reader \"\(ReaderName.smartCard(offered))\" read"),
                ]
            } else {
                [
                    .say(
                        "Use the reader through pcscd. Specify part of the name that "
                            + "`pcsc_scan -r` shows:"),
                    .run("tapcard --reader \"\(ReaderName.smartCard(word))\" read"),
                ]
            }
        // A reader that pcscd lists can be used through pcscd, so this is only a note.
        return Finding(
            .heldByPCSCD, offered == nil ? .problem : .note, reader: name(of: reader),
            "\(describe(reader)) is held by pcscd, the smart card service.",
            remedy: use + [.say("Or stop pcscd if nothing else needs it:")] + Remedies.stopPCSCD)
    }

    private func permissionFinding(on reader: ConnectedReader) -> Finding {
        let node = reader.node
        let what =
            "\(describe(reader)): you do not have permission to open \(node.path) (owner "
            + "\(node.owner), group \(node.group), mode \(node.octalMode))."
        return Finding(
            .noPermission, .problem, reader: name(of: reader), what,
            remedy: Remedies.permission(on: reader, user: user))
    }

    private func smartCardFindings(on reader: ConnectedReader, _ word: String) -> [Finding] {
        let name = self.name(of: reader)
        let others = reader.holders.filter { !isPCSCD($0, reader) }
        // If another program holds the reader, pcscd cannot use it either.
        if !others.isEmpty { return others.map { finding(on: reader, heldBy: $0) } }
        switch state(of: reader) {
        case .noPCSCD:
            return [
                Finding(
                    .pcscdMissing, .problem, reader: name,
                    "\(describe(reader)) needs pcscd, which is not running.",
                    remedy: Remedies.pcscd)
            ]
        case .unusablePCSCD:
            return [unusableSmartCards(name, "\(describe(reader)) needs pcscd")]
        case .notOffered:
            return [
                Finding(
                    .notOffered, .problem, reader: name,
                    "\(describe(reader)) is plugged in, but pcscd does not list it.",
                    remedy: [
                        .say("Restart pcscd, then check its log for messages about the reader:"),
                        .run("sudo systemctl restart pcscd"),
                        .run("journalctl -u pcscd -n 20"),
                    ])
            ]
        default: return []
        }
    }

    /// The finding about a port. `isRequested` says whether the user asked about this port.
    func finding(on port: SerialPort, isRequested: Bool) -> Finding {
        // Most serial ports are used for other devices, so unless the user asked about this port,
        // it matters only if no reader is ready.
        let isNeeded = isRequested || !rows.contains(where: \.isReady)
        let name = port.name
        let what =
            "The serial port \(port.node.path)"
            + (port.bridge.map { " (\($0.make))" } ?? "")
        switch row(port).state {
        case .held(.program(let pid, let program)):
            return Finding(
                .serialPort, isRequested ? .problem : .note, reader: name,
                "\(what) is in use by \(program) (process \(pid)).",
                remedy: [
                    .say("If a PN532 board is connected there, close the program, or end it:"),
                    .run("kill \(pid)"),
                ])
        case .noPermission:
            let node = port.node
            return Finding(
                .serialPort, isNeeded ? .problem : .note, reader: name,
                "\(what): you do not have permission to open it (owner \(node.owner), group "
                    + "\(node.group), mode \(node.octalMode)).",
                remedy: [
                    .say(
                        "If a PN532 board is connected there, join the port's group, then log in "
                            + "again:"),
                    .run("sudo usermod -aG \(port.joinableGroup) \(user)"),
                ])
        default:
            if isRequested {
                let state =
                    port.isPseudoTerminal ? "exists." : "is free and accessible to you."
                return Finding(.serialPort, .ok, reader: name, "\(what) \(state)")
            }
            return Finding(
                .serialPort, .note, reader: name,
                "\(what) was not examined because it may belong to another device.",
                remedy: [
                    .say("If a PN532 board is connected there, specify its name:"),
                    .run("tapcard --reader \(name) doctor"),
                ])
        }
    }
}

extension SerialPort {
    /// The group that a user is advised to join. It is never root.
    // dialout is Debian's group for serial ports.
    var joinableGroup: String { node.group == "root" ? "dialout" : node.group }
}
