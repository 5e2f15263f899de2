import Ledger
import PortDoubles
import ReaderDiagnosis
import Tags
import TapcardCore
import TapcardDomain
import Testing
import Verbs

/// A machine and the doctor's output for it, each under a heading of docs/DOCTOR.md.
struct DoctorCase: Sendable, CustomTestStringConvertible {
    let heading: String
    let status: Int32
    /// The words after `tapcard`.
    var words = ["doctor"]
    var reader: any TagReader = InterposedReader.played
    var failure: ReaderError?
    var damage: LedgerError?
    var database: DatabaseStatus?
    var connections: Result<ConnectionCheck, TapcardError> = .success(ConnectionCheck())
    let survey: @Sendable () throws -> ReaderSurvey

    var testDescription: String { heading }

    /// A machine with these readers, as an ordinary user sees it.
    static func machine(
        _ fixtures: [String]?, mode: Int = 0o666,
        _ change: (FakeMachine) throws -> Void = { _ in }
    ) throws -> ReaderSurvey {
        let machine = try FakeMachine(fixtures)
        for fixture in fixtures ?? [] {
            for device in try DeviceDescription.devices(in: fixture) {
                if let node = device.node { try machine.setMode(of: "/dev/\(node)", mode) }
            }
        }
        try change(machine)
        var survey = machine.survey(as: FakeMachine.stranger)
        // The user who runs the tests owns the files; on a machine root does.
        survey.user = "amanda"
        for place in survey.readers.indices where survey.readers[place].node.access != .missing {
            survey.readers[place].node.owner = "root"
            survey.readers[place].node.group = "root"
        }
        for place in survey.ports.indices {
            survey.ports[place].node.owner = "root"
            survey.ports[place].node.group = "dialout"
        }
        return survey
    }

    /// A machine with a bus that the user cannot open.
    private static func machine(
        onBus node: String, group: String, mode: UInt16
    ) throws -> ReaderSurvey {
        var survey = try machine([])
        survey.libnfc = .version("1.8.0")
        survey.busNode = DeviceNode(
            path: node, access: .denied, owner: "root", group: group, mode: mode)
        return survey
    }

    static let node = "/dev/bus/usb/001/004"

    static let all = gettingThere + rights + holders + drivers + live + ledgers + servers

    /// The result in the output of `--json`.
    var result: String {
        switch status {
        case 0: "done"
        case 8: "service"
        case 9: "ledger"
        default: "no-reader"
        }
    }

    /// The error in the output of `--json`.
    var error: String? {
        switch status {
        case 0: nil
        case 8: "service-offline"
        case 9: damage == nil ? "ledger-unavailable" : "ledger-corrupt"
        default: "no-reader"
        }
    }
}

extension DoctorCase {
    private static let ledger = ["doctor", "--ledger", "/srv/ledger.sqlite"]

    private static let shared = [
        "doctor", "--ledger", "postgresql://till-1@db.example/tapcard",
    ]

    private static func status(
        isOpen: Bool, replicas: [Replica]?, openOperations: Int = 0, clockLead: Int64 = 12,
        transactionAge: Int64 = 1_000, reach: SchemaReach = .current, keys: IssuerKeys = noKeys,
        journals: [JournalConcern] = [], link: DatabaseLink = .network(timeout: 7)
    ) -> DatabaseStatus {
        DatabaseStatus(
            currency: .usd, schema: 1, reach: reach, version: "15.18", isOpen: isOpen, epoch: 1,
            login: "till-1", synchronousReplicas: "ANY 1 (*)", replicas: replicas,
            clockLead: clockLead, openOperations: openOperations, oldestOpen: nil,
            transactionAge: transactionAge, keys: keys, journals: journals, link: link)
    }

    private static let inStep = Replica(
        name: "b", state: "streaming", synchrony: "quorum", lag: 0)
    private static let late = Replica(name: "c", state: "catchup", synchrony: "async", lag: 70_000)

    private static let noKeys = IssuerKeys(
        sealing: nil, next: nil, announcedAt: nil, marks: [:], stations: [])

    private static func keys(sealing: UInt8, next: UInt8?) -> IssuerKeys {
        let time = Timestamp(milliseconds: 1_700_000_000_000)
        return IssuerKeys(
            sealing: sealing, next: next, announcedAt: next.map { _ in time },
            marks: [1: "a", 2: "b"],
            stations: [
                RegisteredStation(
                    number: 1, name: "till-1", registeredAt: time, seenAt: time, keys: [1, 2]),
                RegisteredStation(
                    number: 2, name: "till-2", registeredAt: time, seenAt: time, keys: [1]),
                RegisteredStation(number: 3, name: "till-3", registeredAt: time),
            ])
    }

    /// The journal of a till that reported two more payments than were booked.
    private static var missingJournal: [JournalConcern] {
        let id = JournalID("6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60")
        let time = Timestamp(milliseconds: 1_700_000_000_000)
        return [id].compactMap(\.self).map { id in
            StationJournal(
                id: id, station: "till-2", booked: 3, written: 5, reportedAt: time, until: time)
        }.concerns(at: nil)
    }

    static let ledgers = [
        DoctorCase(heading: "A ledger", status: 0, words: ledger) { try machine(["acr122u"]) },
        DoctorCase(
            heading: "A ledger that is damaged", status: 9, words: ledger,
            damage: LedgerError(
                .corrupt,
                "/srv/ledger.sqlite is damaged (Tree 5 page 7: btreeInitPage() returns error code "
                    + "11); restore it with `tapcard restore-backup`")
        ) { try machine(["acr122u"]) },
        DoctorCase(
            heading: "A ledger in a database", status: 0, words: shared,
            database: status(isOpen: true, replicas: [inStep], openOperations: 2)
        ) { try machine(["acr122u"]) },
        DoctorCase(
            heading: "A database that was promoted", status: 9, words: shared,
            database: status(isOpen: false, replicas: nil)
        ) { try machine(["acr122u"]) },
        DoctorCase(
            heading: "A database in need of help", status: 9, words: shared,
            database: status(
                isOpen: true, replicas: [], clockLead: 90_000, transactionAge: 1_500_000_000,
                journals: missingJournal, link: .network(timeout: 0))
        ) { try machine(["acr122u"]) },
        DoctorCase(
            heading: "A replica that is not in step, and a key that waits for servers", status: 0,
            words: shared,
            database: status(
                isOpen: true, replicas: [inStep, late], reach: .later,
                keys: keys(sealing: 1, next: 2), link: .pooled)
        ) { try machine(["acr122u"]) },
        DoctorCase(
            heading: "A server without the key, and later tables", status: 9,
            words: shared,
            database: status(
                isOpen: true, replicas: nil, reach: .readOnly, keys: keys(sealing: 2, next: nil))
        ) { try machine(["acr122u"]) },
        DoctorCase(
            heading: "A database that is offline", status: 9, words: shared
        ) { try machine(["acr122u"]) },
        DoctorCase(
            heading: "Earlier tables", status: 9, words: shared,
            database: status(isOpen: true, replicas: [late], reach: .earlier)
        ) { try machine(["acr122u"]) },
    ]
}

extension DoctorCase {
    static let gettingThere = [
        DoctorCase(heading: "All is well", status: 0) {
            var survey = try machine(["acr122u"])
            survey.libnfc = .version("1.8.0")
            return survey
        },
        DoctorCase(heading: "No USB at all", status: 5) { try machine(nil) },
        DoctorCase(heading: "No reader", status: 5) { try machine([]) },
        DoctorCase(heading: "A reader that is not supported", status: 5) {
            try machine(["rcs380"])
        },
        DoctorCase(
            heading: "A reader that is not here", status: 5,
            words: ["doctor", "--reader", "acr122_usb:001:009"]
        ) { try machine(["acr122u"]) },
        DoctorCase(
            heading: "A path that is not here", status: 5,
            words: ["doctor", "--reader", "pn532_uart:/dev/ttyUSB9"]
        ) {
            var survey = try machine(["acr122u"])
            survey.pathRefusal = .missing("/dev/ttyUSB9")
            return survey
        },
        DoctorCase(
            heading: "A path that is no serial port", status: 5,
            words: ["doctor", "--reader", "pn532_uart:/dev/null"]
        ) {
            var survey = try machine(["acr122u"])
            survey.pathRefusal = .noSerialPort("/dev/null")
            return survey
        },
        DoctorCase(
            heading: "A bus that is switched off", status: 5,
            words: ["doctor", "--reader", "pn532_spi:/dev/spidev0.0:500000"]
        ) {
            var survey = try machine([])
            survey.pathRefusal = .missing("/dev/spidev0.0")
            return survey
        },
        DoctorCase(
            heading: "A path that is not on the bus", status: 5,
            words: ["doctor", "--reader", "pn532_i2c:/dev/null"]
        ) {
            var survey = try machine([])
            survey.pathRefusal = .notOnBus("/dev/null")
            return survey
        },
        DoctorCase(heading: "A device without a node", status: 5) {
            try machine(["acr122u"]) { try $0.remove("dev/bus/usb/001/004") }
        },
    ]

    static let rights = [
        DoctorCase(heading: "Permission denied", status: 5) {
            try machine(["acr122u"], mode: 0o664)
        },
        DoctorCase(heading: "Permission denied, with the rules in place", status: 5) {
            var survey = try machine(["acr122u"], mode: 0o660)
            survey.readers[0].node.group = "plugdev"
            return survey
        },
        DoctorCase(
            heading: "A serial port without permission", status: 5,
            words: ["doctor", "--reader", "pn532_uart:/dev/ttyUSB0"]
        ) {
            try machine(["ftdi"], mode: 0o660)
        },
        DoctorCase(
            heading: "A bus without permission", status: 5,
            words: ["doctor", "--reader", "pn532_i2c:/dev/i2c-1"]
        ) {
            try machine(onBus: "/dev/i2c-1", group: "i2c", mode: 0o660)
        },
        DoctorCase(
            heading: "A bus without a group", status: 5,
            words: ["doctor", "--reader", "pn532_spi:/dev/spidev0.0:500000"]
        ) {
            try machine(onBus: "/dev/spidev0.0", group: "root", mode: 0o600)
        },
    ]

    static let holders = [
        DoctorCase(heading: "Module loaded", status: 5) { try machine(["acr122u-kernel"]) },
        DoctorCase(heading: "Busy: another program", status: 5) {
            try machine(["acr122u-claimed"]) {
                try $0.run("nfc-poll", as: 4711, opening: [node])
            }
        },
        DoctorCase(heading: "Busy: a program of another user", status: 5) {
            try machine(["acr122u-claimed"])
        },
        DoctorCase(heading: "pcscd running and holding the reader", status: 5) {
            try machine(["acr122u-claimed"]) { try $0.runPCSCD(as: 612) }
        },
        DoctorCase(heading: "pcscd running and holding the reader, which it offers", status: 0) {
            var survey = try machine(["acr122u-claimed"]) { try $0.runPCSCD(as: 612) }
            survey.smartCardReaders = ["ACS ACR122U PICC Interface 00 00"]
            return survey
        },
        DoctorCase(heading: "pcscd running beside the reader", status: 0) {
            try machine(["acr122u"]) { try $0.runPCSCD(as: 612) }
        },
        DoctorCase(
            heading: "A serial port in use", status: 5,
            words: ["doctor", "--reader", "pn532_uart:/dev/ttyUSB0"]
        ) {
            try machine(["ftdi"]) { try $0.run("minicom", as: 99, opening: ["/dev/ttyUSB0"]) }
        },
    ]

    static let drivers = [
        DoctorCase(heading: "pcscd missing", status: 5) {
            var survey = try machine(["acr1252u"])
            survey.readers[0].holders = []
            return survey
        },
        DoctorCase(heading: "pcscd does not list the reader", status: 5) {
            var survey = try machine(["acr1252u"]) { try $0.runPCSCD(as: 612) }
            survey.smartCardReaders = []
            return survey
        },
        DoctorCase(heading: "pcscd does not answer", status: 5) {
            var survey = try machine(["acr1252u"]) { try $0.runPCSCD(as: 612) }
            survey.smartCardRefusal =
                "pcscd denies access to this user; its polkit rule decides who has access"
            return survey
        },
        DoctorCase(heading: "libnfc missing", status: 5) {
            var survey = try machine(["acr122u"])
            survey.libnfc = .missing
            return survey
        },
        DoctorCase(heading: "libnfc of another version", status: 5) {
            var survey = try machine(["acr122u"])
            survey.libnfc = .unusable(
                why: "libnfc version 1.7.1 is installed, but version 1.8 is required")
            return survey
        },
        DoctorCase(heading: "A serial port", status: 5) { try machine(["ftdi"]) },
        DoctorCase(heading: "A serial bridge without a port", status: 5) {
            try machine(["ftdi"]) { try $0.remove("dev/ttyUSB0") }
        },
    ]

    static let live = [
        DoctorCase(
            heading: "A reader that cannot be opened", status: 5,
            failure: ReaderError(.noReader, "libnfc says no more than that")
        ) { try machine(["acr122u"]) },
        DoctorCase(
            heading: "A board that cannot be opened", status: 5,
            words: ["doctor", "--reader", "pn532_uart:/dev/ttyUSB0"],
            failure: ReaderError(.noReader, "nothing answers there")
        ) { try machine(["ftdi"]) },
        DoctorCase(
            heading: "A board on a bus of the mainboard", status: 0,
            words: ["doctor", "--reader", "pn532_i2c:/dev/i2c-1"]
        ) {
            var survey = try machine(nil)
            survey.libnfc = .version("1.8.0")
            return survey
        },
        DoctorCase(
            heading: "A board on a bus that does not answer", status: 5,
            words: ["doctor", "--reader", "pn532_spi:/dev/spidev0.0:500000"],
            failure: ReaderError(.noReader, "no reader responds at that address")
        ) {
            var survey = try machine(nil)
            survey.libnfc = .version("1.8.0")
            return survey
        },
        DoctorCase(
            heading: "A reader behind pcscd that cannot be opened", status: 5,
            words: ["doctor", "--reader", "pcsc:ACR1252"],
            failure: ReaderError(.noReader, "pcscd has stopped")
        ) {
            var survey = try machine(["acr1252u"]) { try $0.runPCSCD(as: 612) }
            survey.smartCardReaders = ["ACS ACR1252 Dual Reader PICC 00 00"]
            return survey
        },
        DoctorCase(
            heading: "A reader that somebody took meanwhile", status: 5,
            failure: ReaderError(.busy, "Device or resource busy")
        ) { try machine(["acr122u"]) },
        DoctorCase(
            heading: "A reader that does not answer", status: 5,
            reader: InterposedReader.failing(ReaderError(.readerLost, "timed out"))
        ) { try machine(["acr122u"]) },
        DoctorCase(
            heading: "No tag on the reader", status: 0,
            reader: InterposedReader.failing(ReaderError(.noTag))
        ) { try machine(["acr122u"]) },
        DoctorCase(
            heading: "Two tags on the reader", status: 0,
            reader: InterposedReader.failing(ReaderError(.severalTags))
        ) { try machine(["acr122u"]) },
    ]
}
