import ReaderDiagnosis
import Testing

@Suite("Reader states and findings")
struct JudgmentTests {
    static let acr122u = ReaderModel(
        0x072F, 0x2200, "ACS ACR122U", .libnfc("acr122_usb"), smartCardWord: "ACR122U")
    static let scl3711 = ReaderModel(0x04E6, 0x5591, "SCM SCL3711", .libnfc("pn53x_usb"))
    static let acr1252u = ReaderModel(
        0x072F, 0x223B, "ACS ACR1252U", .smartCard(word: "ACR1252"))

    static func node(_ access: DeviceNode.Access = .readAndWrite) -> DeviceNode {
        DeviceNode(
            path: "/dev/bus/usb/001/004", access: access, owner: "root", group: "root", mode: 0o664)
    }

    static func survey(
        _ model: ReaderModel, _ holders: [ReaderHolder] = [],
        access: DeviceNode.Access = .readAndWrite,
        pcscd: ReaderSurvey.SmartCardService = .absent, offering names: [String]? = nil
    ) -> ReaderSurvey {
        ReaderSurvey(
            bus: .present(deviceCount: 1),
            readers: [
                ConnectedReader(
                    model: model, bus: 1, address: 4, node: node(access), holders: holders)
            ],
            smartCardService: pcscd, smartCardReaders: names, user: "amanda")
    }

    static func states(_ survey: ReaderSurvey) -> [String] {
        survey.rows.map { "\($0.name?.text ?? "-"): \($0.state.text)" }
    }

    @Test("A reader of libnfc is ready if it can be opened and no program holds it")
    func ready() {
        #expect(Self.states(Self.survey(Self.acr122u)) == ["acr122_usb:001:004: ready"])
        #expect(
            Self.states(Self.survey(Self.scl3711, access: .denied))
                == ["pn53x_usb:001:004: no permission"])
        #expect(
            Self.states(Self.survey(Self.scl3711, access: .missing))
                == ["pn53x_usb:001:004: no device node"])
        var survey = Self.survey(Self.scl3711)
        survey.libnfc = .missing
        #expect(Self.states(survey) == ["pn53x_usb:001:004: needs libnfc"])
    }

    @Test("A holder outweighs missing permission, and both are reported")
    func order() {
        #expect(
            Self.states(
                Self.survey(Self.acr122u, [.kernel(driver: "pn533_usb")], access: .denied))
                == ["acr122_usb:001:004: held by the kernel module pn533_usb"])
        let findings = Self.survey(
            Self.acr122u, [.kernel(driver: "pn533_usb")], access: .denied
        ).findings()
        // Both have to be mended, so both are said.
        #expect(findings.map(\.id) == [.usb, .kernelModule, .noPermission])
    }

    @Test("A claim by an unseen program is pcscd's if pcscd runs and takes such readers")
    func unseen() {
        let running = ReaderSurvey.SmartCardService.running(pid: 9)
        #expect(
            Self.states(Self.survey(Self.acr122u, [.unknownProgram], pcscd: running))
                == ["acr122_usb:001:004: held by pcscd"])
        #expect(
            Self.states(Self.survey(Self.scl3711, [.unknownProgram], pcscd: running))
                == ["pn53x_usb:001:004: held by another program"])
        #expect(
            Self.states(Self.survey(Self.acr122u, [.unknownProgram], pcscd: .onDemand))
                == ["acr122_usb:001:004: held by another program"])
    }

    @Test("A reader that pcscd holds is a problem only if pcscd does not list it")
    func throughPCSCD() {
        let name = "ACS ACR122U PICC Interface 00 00"
        let held = [ReaderHolder.program(pid: 9, name: "pcscd")]
        let offered = Self.survey(
            Self.acr122u, held, pcscd: .running(pid: 9), offering: [name])
        #expect(
            Self.states(offered) == [
                "acr122_usb:001:004: held by pcscd", "pcsc:\(name): ready",
            ])
        #expect(offered.findings().map(\.severity) == [.ok, .note])
        let silent = Self.survey(Self.acr122u, held, pcscd: .running(pid: 9))
        #expect(silent.findings().map(\.severity) == [.ok, .problem])
        var refusing = silent
        refusing.smartCardRefusal = "it is tired"
        #expect(
            refusing.findings().last?.remedy.first
                == .say("The reader cannot be used through pcscd: it is tired."))
    }

    @Test("A reader with several interfaces is named by its contactless one")
    func sides() {
        let names = [
            "ACS ACR1252 Dual Reader [ACS ACR1252 Dual Reader SAM] 01 00",
            "ACS ACR1252 Dual Reader [ACS ACR1252 Dual Reader PICC] 00 00",
        ]
        let survey = Self.survey(Self.acr1252u, pcscd: .onDemand, offering: names)
        #expect(
            Self.states(survey) == [
                "pcsc:\(names[1]): ready", "pcsc:\(names[0]): ready",
            ])
        #expect(
            Self.states(Self.survey(Self.acr1252u, pcscd: .onDemand))
                == ["pcsc:ACR1252: pcscd cannot be used"])
        #expect(
            Self.states(Self.survey(Self.acr1252u, pcscd: .onDemand, offering: []))
                == ["pcsc:ACR1252: not listed by pcscd"])
        #expect(Self.states(Self.survey(Self.acr1252u)) == ["pcsc:ACR1252: needs pcscd"])
    }

    @Test("A question about one reader is answered for that reader only")
    func oneReader() {
        var survey = Self.survey(Self.acr122u)
        survey.readers.append(
            ConnectedReader(
                model: Self.scl3711, bus: 1, address: 5, node: Self.node(.denied)))
        #expect(survey.findings().map(\.id) == [.usb, .ready, .noPermission])
        #expect(survey.findings(about: "acr122_usb:001:004").map(\.id) == [.ready])
        #expect(survey.findings(about: "pn53x_usb:001:005").map(\.id) == [.noPermission])
        #expect(survey.findings(about: "pn53x_usb:001:009").map(\.id) == [.notPluggedIn])
    }

    @Test("A reader behind pcscd is found by part of its name once pcscd has answered")
    func smartCardName() {
        var survey = ReaderSurvey(bus: .absent, user: "amanda")
        #expect(survey.findings(about: "pcsc:Any").map(\.id) == [.pcscdMissing])
        survey.smartCardService = .onDemand
        #expect(
            survey.findings(about: "pcsc:Any").map(\.what) == [
                "pcsc:Any needs pcscd, which cannot be used."
            ])
        survey.smartCardRefusal = "it is tired"
        #expect(
            survey.findings(about: "pcsc:Any").map(\.what) == [
                "pcsc:Any needs pcscd, which cannot be used: it is tired."
            ])
        survey.smartCardReaders = ["Another 00 00"]
        #expect(survey.findings(about: "pcsc:Any").map(\.id) == [.notPluggedIn])
        for name in ["Another 00 00", "another"] {
            #expect(survey.findings(about: "pcsc:\(name)").isEmpty)
        }
    }

    @Test("An unusable libnfc is a problem only if a reader needs it, and the reason is shown")
    func otherLibrary() {
        let why = "libnfc version 1.9.0 is installed, but version 1.8 is required"
        for (model, severity) in [(Self.scl3711, Finding.Severity.problem), (Self.acr1252u, .note)]
        {
            var survey = Self.survey(model, pcscd: .onDemand, offering: ["ACR1252 00 00"])
            survey.libnfc = .unusable(why: why)
            let finding = survey.findings().first { $0.id == .libnfcOther }
            #expect(finding?.severity == severity && finding?.what == why + ".")
        }
        var survey = Self.survey(Self.scl3711)
        survey.libnfc = .unusable(why: why)
        survey.ports = [SerialPort(node: Self.node())]
        #expect(survey.rows.map(\.state) == [.otherLibrary, .otherLibrary])
    }

    @Test(
        "A reader that no survey shows is judged by libnfc and its path alone",
        arguments: [
            "pn532_spi:/dev/spidev0.0", "pn532_i2c:/dev/i2c-1", "arygon:/dev/ttyS0",
            "acr122s:/dev/ttyS0:9600",
        ] as [ReaderName])
    func unseenName(_ name: ReaderName) {
        var survey = ReaderSurvey(bus: .absent, user: "amanda")
        #expect(survey.findings(about: name).isEmpty)
        survey.libnfc = .version("1.8.0")
        #expect(survey.findings(about: name).map(\.severity) == [.ok])
        survey.libnfc = .missing
        #expect(survey.findings(about: name).map(\.severity) == [.problem])
        survey.pathRefusal = .missing("/dev/x")
        let missing = survey.findings(about: name)
        #expect(missing.map(\.id) == [.noPath])
        let words =
            switch name.bus {
            case .spi: "/dev/x does not exist; SPI may be disabled."
            case .i2c: "/dev/x does not exist; I2C may be disabled."
            case nil: "/dev/x does not exist."
            }
        #expect(missing.first?.what.hasPrefix(words) == true)
    }

    @Test(
        "Access to a bus is granted by its group or by a rule, never by root's group",
        arguments: MainboardBus.allCases)
    func busGroup(_ bus: MainboardBus) throws {
        let name: ReaderName = "\(bus.rawValue):/dev/bus"
        var survey = ReaderSurvey(bus: .absent, user: "amanda")
        var node = Self.node(.denied)
        (node.group, node.mode) = ("chips", 0o660)
        survey.busNode = node
        let joined = try #require(survey.findings(about: name).first)
        #expect(joined.id == .noPermission && joined.severity == .problem)
        #expect(joined.remedy.last == .run("sudo usermod -aG chips amanda"))
        for (group, mode) in [("root", 0o660), ("chips", 0o640)] as [(String, UInt16)] {
            (node.group, node.mode) = (group, mode)
            survey.busNode = node
            let ruled = try #require(survey.findings(about: name).first)
            #expect("\(ruled.remedy)".contains("SUBSYSTEM=="))
            #expect(!"\(ruled.remedy)".contains("-aG root"))
        }
        node.access = .readAndWrite
        survey.busNode = node
        #expect(survey.findings(about: name).isEmpty)
    }

    @Test("Only the number of a USB reader is said to change")
    func numbers() throws {
        let survey = ReaderSurvey(bus: .absent, user: "amanda")
        let usb = try #require(survey.findings(about: "pn53x_usb:001:002").first)
        #expect(usb.what.hasSuffix("changes each time it is reconnected."))
        #expect(survey.findings(about: "no:thing").map(\.what) == ["no:thing is not connected."])
    }

    @Test("The only finding about a pseudo-terminal is that it is there")
    func pseudoTerminal() {
        var node = Self.node()
        node.path = "/dev/pts/3"
        let port = SerialPort(node: node, isPseudoTerminal: true)
        let survey = ReaderSurvey(bus: .absent, ports: [port], user: "amanda")
        #expect(
            survey.findings(about: "pn532_uart:/dev/pts/3").map(\.what)
                == ["The serial port /dev/pts/3 exists."])
    }

    @Test(
        "A reader that may be built in gets no advice to unplug it",
        arguments: [
            "sim", "sim:x.txt", "pcsc:ACR1252", "pn532_spi:/dev/spidev0.0", "arygon:/dev/x",
        ] as [ReaderName])
    func stubborn(_ name: ReaderName) {
        let survey = ReaderSurvey(bus: .absent, user: "amanda")
        let remedy = survey.remedyForUnresponsiveReader(name)
        #expect(!remedy.isEmpty && !"\(remedy)".lowercased().contains("unplug"))
    }

    @Test("Characters that move the cursor or reverse text are escaped")
    func oneLine() {
        #expect(
            "a\u{1B}[2J\n\u{9B}b\u{202E}ü".escapedForOneLine == #"a\u{1B}[2J\u{A}\u{9B}b\u{202E}ü"#)
    }

    @Test(
        "Advice for a serial port names the group dialout, never root's",
        arguments: ["root", "dialout"])
    func serialGroup(_ group: String) throws {
        var node = Self.node(.denied)
        node.group = group
        let survey = ReaderSurvey(
            bus: .present(deviceCount: 0), ports: [SerialPort(node: node)], user: "amanda")
        let finding = try #require(survey.findings().last)
        #expect(finding.remedy.last == .run("sudo usermod -aG dialout amanda"))
    }

    @Test(
        "A serial bridge without a port needs the module of its maker",
        arguments: [
            (0x0403, "ftdi_sio"), (0x10C4, "cp210x"), (0x067B, "pl2303"), (0x1A86, "ch341"),
        ])
    func bridges(_ vendor: UInt16, _ module: String) throws {
        let survey = Self.survey(ReaderModel(vendor, 1, "Bridge", .serialBridge))
        let finding = try #require(survey.findings().last)
        #expect(finding.id == .bridgeWithoutPort)
        #expect(finding.remedy.last == .run("sudo modprobe \(module)"))
    }
}
