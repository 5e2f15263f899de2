import Glibc
import TestSupport
import Testing

/// The program on a bus that libumockdev plays, with the real libusb beneath.
@Suite("Listing and diagnosing readers", .ownThread)
struct ReaderTests {
    private static let fixtures =
        Repository.path("fixtures/usb")
    private static let usable = "No usable NFC reader was found. "

    /// Runs the program with these readers plugged in; `change` is run in a shell first.
    private func run(
        _ words: [String], on readers: [String], _ change: String = ""
    ) throws -> Ended {
        let till = try Till()
        let bus = readers.flatMap { ["--device", "\(Self.fixtures)/\($0).umockdev"] }
        let process = try ChildProcess(
            "/usr/bin/umockdev-run",
            bus + ["--", "sh", "-c", "\(change) \"$@\"", "sh", try Executable.path()] + words,
            // Neither folder is there, nor is either needed.
            environment: ["HOME": "/nonexistent", "PATH": "/usr/bin:/bin"], folder: till.home)
        return try process.end()
    }

    @Test("Readers are listed with the names that --reader takes")
    func readers() throws {
        let ended = try run(["readers", "--json"], on: ["hub", "scl3711", "ftdi", "rcs380"])
        #expect(ended.status == 0)
        #expect(ended.errors == "")
        #expect(
            ended.output == """
                {"result":"done","readers":[\
                {"name":"pn53x_usb:001:005","make":"SCM SCL3711","driver":"libnfc pn53x_usb",\
                "state":"ready","detail":"ready","usb":"04e6:5591",\
                "node":"/dev/bus/usb/001/005"},\
                {"name":null,"make":"Sony RC-S380/P","driver":"none","state":"not-supported",\
                "detail":"not supported","usb":"054c:06c3","node":"/dev/bus/usb/001/008"},\
                {"name":"pn532_uart:/dev/ttyUSB0","make":"FTDI serial bridge",\
                "driver":"libnfc pn532_uart","state":"maybe",\
                "detail":"ready if a PN532 is connected","usb":"0403:6001",\
                "node":"/dev/ttyUSB0"},\
                {"name":"sim","make":"simulated reader","driver":"tapcard","state":"ready",\
                "detail":"ready","usb":null,"node":null}]}

                """)
    }

    @Test("A list warns that no reader is connected, but not if the simulated one is named")
    func asked() throws {
        let warning =
            "tapcard: No reader is connected except the simulated one; to see what was looked "
            + "for, run tapcard doctor.\n"
        for (words, change, errors) in [
            (["readers"], "", warning), (["readers", "--reader", "sim"], "", ""),
            (["readers"], "TAPCARD_READER=sim", ""),
        ] {
            let list = try run(words, on: ["hub"], change)
            #expect(list.status == 0)
            #expect(list.output == "sim  simulated reader  tapcard  ready\n")
            #expect(list.errors == errors, "\(words) \(change)")
        }
    }

    @Test("A machine without USB and one without a reader are told apart")
    func nothing() throws {
        for (bus, word, what) in [
            ([], "no-usb", "This machine has no USB"),
            (
                ["hub"], "no-reader",
                "No NFC reader is plugged in; no other USB device is connected either."
            ),
        ] {
            let list = try run(["readers"], on: bus)
            #expect(list.status == 0)
            #expect(list.output == "sim  simulated reader  tapcard  ready\n")
            #expect(
                list.errors.hasPrefix("tapcard: No reader is connected except the simulated one"))
            let ended = try run(["doctor"], on: bus)
            #expect(ended.status == 5)
            #expect(ended.output.hasPrefix("problem  \(what)"))
            let document = try run(["doctor", "--json"], on: bus).output
            #expect(document.hasPrefix(#"{"result":"no-reader","findings":[{"id":"\#(word)","#))
        }
    }

    @Test("Without a usable reader the error says why, and neither keys nor a ledger are created")
    func first() throws {
        let command = #""$0" "$@"; echo $? $(find $HOME -type f); rm -r $HOME"#
        for (bus, why) in [
            ([], "no reader is connected"), (["hub"], "no reader is connected"),
            (["hub", "rcs380"], "Sony RC-S380/P: not supported"),
            (["hub", "acr122u-kernel"], "ACS ACR122U: held by the kernel module pn533_usb"),
            (
                ["hub", "ftdi"],
                "only a serial port was found, and a reader there must be selected: "
                    + "pn532_uart:/dev/ttyUSB0"
            ),
        ] {
            let ended = try run(["read"], on: bus, "HOME=$(mktemp -d) exec sh -c '\(command)'")
            #expect(ended.output == "5\n")
            #expect(
                ended.errors
                    == "tapcard: No usable NFC reader was found (\(why)). Nothing was changed, and "
                    + "no money moved. To find out why and how to fix it, run tapcard doctor; to "
                    + "work without a reader, run: tapcard --reader sim\n")
        }
    }

    @Test("Doctor says how to free a reader that a kernel module holds")
    func module() throws {
        let ended = try run(["doctor"], on: ["hub", "acr122u-kernel"])
        #expect(ended.status == 5)
        #expect(
            ended.output == """
                ok       1 reader is plugged in.
                ok       libnfc 1.8.0 is installed.
                problem  ACS ACR122U (072f:2200, bus 1, device 4) is held by the kernel module \
                pn533_usb.
                         Unload it:
                           sudo modprobe -r pn533_usb
                         To keep it from loading again, also run this in the tapcard folder:
                           sudo make install-udev
                         Or, if you do not have that folder:
                           echo blacklist pn533_usb | sudo tee /etc/modprobe.d/tapcard-pn533.conf

                """)
        #expect(
            ended.errors
                == "tapcard: \(Self.usable)Follow the steps shown above, or use the simulated "
                + "reader: --reader sim\n")
    }

    @Test("A libnfc of the wrong version is reported and never used")
    func otherLibrary() throws {
        let till = try Till()
        // Its functions do nothing; only the version is ever asked for.
        let functions = [
            "nfc_init", "nfc_open", "nfc_close", "nfc_abort_command", "nfc_list_devices",
            "nfc_initiator_init", "nfc_device_set_property_bool", "nfc_device_get_name",
            "nfc_device_get_information_about", "nfc_free", "pn53x_transceive",
        ].map { "void \($0)(void) { __builtin_trap(); }" }.joined(separator: " ")
        let source = "const char *nfc_version(void) { return \"1.9.0\"; } \(functions)"
        let library = "\(till.home)/libnfc.so.6"
        let compiler = try ChildProcess(
            "/bin/sh",
            [
                "-c",
                """
                for compiler in cc clang gcc; do
                command -v $compiler > /dev/null && break; done
                printf %s "$1" | $compiler -x c -shared -fPIC -nostdlib -o "$2" -
                """, "sh", source, library,
            ],
            environment: ["PATH": unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? ""],
            folder: till.home)
        let compiled = try compiler.end()
        try #require(compiled.status == 0, "\(compiled.errors)")
        let why = "libnfc version 1.9.0 is installed, but version 1.8 is required"
        let change = "export LD_LIBRARY_PATH='\(till.home)'; HOME='\(till.home)'"
        let doctor = try run(["doctor"], on: ["hub", "scl3711"], change)
        #expect(doctor.status == 5)
        #expect(doctor.output.contains("problem  \(why).\n"))
        let list = try run(["readers"], on: ["hub", "scl3711"], change)
        #expect(list.status == 5 && list.output.contains("  needs another libnfc version\n"))
        let named = try run(
            ["read", "--reader", "pn53x_usb:001:005"], on: ["hub", "scl3711"], change)
        #expect(named.status == 5 && named.errors.contains("(\(why))"), "\(named.errors)")
        let first = try run(["read"], on: ["hub", "scl3711"], change)
        #expect(
            first.errors.contains("(SCM SCL3711: needs another libnfc version)"),
            "\(first.errors)")
    }

    @Test("Doctor reports a path that is missing or is not a serial port")
    func paths() throws {
        for (path, what) in [
            ("/dev/null", "/dev/null is not a serial port."),
            ("/etc/passwd", "/etc/passwd is not a serial port."),
            ("/dev/ttyUSB9", "/dev/ttyUSB9 does not exist."),
        ] {
            let ended = try run(["doctor", "--reader", "pn532_uart:\(path)"], on: ["hub"])
            #expect(ended.status == 5)
            #expect(ended.output.hasPrefix("problem  \(what)\n"), "\(ended.output)")
        }
    }

    @Test("Doctor reports an I2C or SPI path that is missing or is no such device")
    func mainboard() throws {
        for (reader, what) in [
            ("pn532_i2c:/dev/null", "/dev/null is not a device on the I2C bus."),
            ("pn532_spi:/etc/passwd:500000", "/etc/passwd is not a device on the SPI bus."),
            ("pn532_spi:/dev/spidev9.9", "/dev/spidev9.9 does not exist; SPI may be disabled."),
        ] {
            let ended = try run(["doctor", "--reader", reader], on: [])
            #expect(ended.status == 5)
            #expect(ended.output.hasPrefix("problem  \(what)\n"), "\(ended.output)")
        }
        // What looks like no reader is not spoken to either: it is refused, with the reason.
        let read = try run(["read", "--reader", "pn532_i2c:/dev/null"], on: [])
        #expect(read.status == 5)
        #expect(read.errors.contains("no reader responds"), "\(read.errors)")
    }

    @Test("A reader name with control characters is refused and printed escaped")
    func controls() throws {
        let ended = try run(["doctor", "--reader", "pn53x_usb:\u{1B}[2J"], on: ["hub"])
        #expect(ended.status == 2)
        #expect(
            ended.errors.hasPrefix(
                #"tapcard: "pn53x_usb:\u{1B}[2J" is not a reader name."#))
    }

    @Test("Doctor says how to get access to a reader that the user may not open")
    func permission() throws {
        // Root may open everything: there the program is run as nobody, who is let into the bus.
        let user = geteuid() == 0 ? "exec setpriv --reuid=65534 --clear-groups" : "exec"
        let ended = try run(
            ["doctor"], on: ["hub", "scl3711"],
            "chmod 0 /dev/bus/usb/001/005; chmod 755 \"$UMOCKDEV_DIR\"; \(user)")
        #expect(ended.status == 5)
        #expect(
            ended.output.contains(
                "problem  SCM SCL3711 (04e6:5591, bus 1, device 5): you do not have permission to "
                    + "open /dev/bus/usb/001/005 ("))
        #expect(ended.output.contains("\n           sudo make install-udev\n"))
    }

    @Test("Doctor checks the simulated reader without creating keys or a ledger")
    func simulated() throws {
        let till = try Till()
        try till.expect(
            "doctor",
            prints: """
                ok       sim responds as simulated reader ~/.local/share/tapcard/simulated/simulation.txt.
                ok       An NTAG213 is on the reader: 04AC6B72BA6C80. The manufacturer's signature \
                is valid. The tag contains nothing and has 136 of 144 bytes free.
                """)
        #expect(unsafe access(till.ledger, F_OK) != 0)
        #expect(unsafe access(till.keys, F_OK) != 0)
        try till.step("demo")
        #expect(try till.step("doctor").contains("The tag contains a tapcard card and has "))
        try till.step("sim take")
        let found = till.masked(try till.step("doctor"))
        #expect(
            found.hasSuffix(
                """

                ok       There is no tag on the reader.
                ok       Every page of the ledger file \
                ~/.local/share/tapcard/simulated/ledger.sqlite was read, and none is damaged.
                """), "\(found)")
    }
}
