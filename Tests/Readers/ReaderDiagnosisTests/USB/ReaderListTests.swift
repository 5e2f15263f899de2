import ReaderDiagnosis
import Testing

@Suite("The list of readers")
struct ReaderListTests {
    private static func many() throws -> ReaderSurvey {
        var survey = try DoctorCase.machine([
            "acr122u-kernel", "scl3711", "acr1252u", "ftdi", "rcs380",
        ]) { try $0.runPCSCD(as: 612, opening: ["/dev/bus/usb/001/006"]) }
        survey.smartCardReaders = ["ACS ACR1252 Dual Reader [ACS PICC] 00 00", "Virtual PCD 00 00"]
        return survey
    }

    @Test("Each reader has a line with name, make, driver and state, the simulated one last")
    func lines() async throws {
        let (status, text) = await DoctorBench(try Self.many()).run(["readers"])
        #expect(status == 0)
        let expected = [
            "acr122_usb:001:004|ACS ACR122U|libnfc acr122_usb|held by the kernel module pn533_usb",
            "pn53x_usb:001:005|SCM SCL3711|libnfc pn53x_usb|ready",
            "pcsc:ACS ACR1252 Dual Reader [ACS PICC] 00 00|ACS ACR1252U|PC/SC|ready",
            "-|Sony RC-S380/P|none|not supported",
            "pcsc:Virtual PCD 00 00|Virtual PCD 00 00|PC/SC|ready",
            "pn532_uart:/dev/ttyUSB0|FTDI serial bridge|libnfc pn532_uart|"
                + "ready if a PN532 is connected",
            "sim|simulated reader|tapcard|ready",
        ]
        let cells = text.split(separator: "\n").map { line in
            line.split(separator: /\s{2,}/).joined(separator: "|")
        }
        #expect(cells == expected)
        // Columns begin below one another.
        let lines = text.split(separator: "\n").map(String.init)
        let first = try #require(lines.first?.firstRange(of: "ACS ACR122U")?.lowerBound)
        let last = try #require(lines.last?.firstRange(of: "simulated")?.lowerBound)
        #expect(first.utf16Offset(in: lines[0]) == last.utf16Offset(in: lines[6]))
    }

    @Test("The slots of a reader share one line, and readers of one make have a line each")
    func slots() {
        var survey = ReaderSurvey(bus: .absent, user: "amanda")
        survey.smartCardReaders = [
            "Virtual PCD 00 00", "Virtual PCD 00 01", "Twin 01 00", "Twin 02 00",
        ]
        #expect(survey.rows.map(\.make) == ["Virtual PCD 00", "Twin 01 00", "Twin 02 00"])
    }

    @Test("The JSON list of readers has exactly these keys and values")
    func document() async throws {
        let survey = try DoctorCase.machine(["scl3711", "rcs380"])
        let (status, text) = await DoctorBench(survey).run(["readers", "--json"])
        #expect(status == 0)
        #expect(
            text == """
                {"result":"done","readers":[\
                {"name":"pn53x_usb:001:005","make":"SCM SCL3711","driver":"libnfc pn53x_usb",\
                "state":"ready","detail":"ready","usb":"04e6:5591",\
                "node":"/dev/bus/usb/001/005"},\
                {"name":null,"make":"Sony RC-S380/P","driver":"none",\
                "state":"not-supported","detail":"not supported","usb":"054c:06c3",\
                "node":"/dev/bus/usb/001/008"},\
                {"name":"sim","make":"simulated reader","driver":"tapcard",\
                "state":"ready","detail":"ready","usb":null,"node":null}]}

                """)
    }

    @Test(
        "A list in which no connected reader is usable ends with status 5 and advice",
        arguments: [["rcs380"], ["acr122u-kernel"]])
    func none(_ fixtures: [String]) async throws {
        let bench = DoctorBench(try DoctorCase.machine(fixtures))
        let (status, text) = await bench.run(["readers"])
        #expect(status == 5)
        let advice =
            "No usable NFC reader was found. To find out why and how to fix it, run tapcard "
            + "doctor; to work without a reader, run: tapcard --reader sim"
        #expect(text.hasSuffix("ready\ntapcard: \(advice)\n"))
        let document = await bench.run(["readers", "--json"]).text
        #expect(document.hasPrefix(#"{"result":"no-reader","readers":["#))
        #expect(
            document.hasSuffix(
                #"],"error":"no-reader","message":"\#(advice)","#
                    + #""next":[{"step":"diagnose-reader"}]}"# + "\n"))
    }

    @Test(
        "A list of only the simulated reader succeeds and points to the doctor",
        arguments: [nil, []] as [[String]?])
    func simulatedAlone(_ fixtures: [String]?) async throws {
        let bench = DoctorBench(try DoctorCase.machine(fixtures))
        let (status, text) = await bench.run(["readers"])
        #expect(status == 0)
        #expect(
            text == """
                tapcard: No reader is connected except the simulated one; to see what was looked for, run tapcard doctor.
                sim  simulated reader  tapcard  ready

                """)
        let document = await bench.run(["readers", "--json"])
        #expect(document.status == 0)
        #expect(document.text.hasPrefix(#"{"result":"done","readers":[{"name":"sim","#))
    }

    @Test("Every state in the JSON list is one of the known words", arguments: DoctorCase.all)
    func states(_ example: DoctorCase) async throws {
        let text = await DoctorBench(try example.survey()).run(["readers", "--json"]).text
        let words = [
            "ready", "maybe", "no-node", "no-permission", "held", "no-pcscd", "not-offered",
            "no-libnfc", "other-libnfc", "pcscd-unusable", "not-supported",
        ]
        let states = text.matches(of: /"state":"([a-z-]+)"/).map { String($0.output.1) }
        #expect(!states.isEmpty && states.allSatisfy(words.contains))
    }
}
