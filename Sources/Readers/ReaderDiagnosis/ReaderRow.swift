/// One line in the list of readers: the reader's name, and whether it can be used.
public struct ReaderRow: Sendable, Hashable {
    /// The state of a reader: usable, or the reason it is not.
    public enum State: Sendable, Hashable {
        case ready
        /// The reader is a serial port that this user is allowed to open; a board may or may not be
        /// connected to it.
        case maybe
        case noNode
        case noPermission
        case held(ReaderHolder)
        case heldByPCSCD
        /// The reader needs pcscd, which is missing.
        case noPCSCD
        /// pcscd is present but did not list its readers for this user.
        case unusablePCSCD
        /// pcscd is present but does not list the reader.
        case notOffered
        case noLibrary
        /// libnfc is installed, but tapcard cannot use this release.
        case otherLibrary
        case unsupported

        /// The word for the state in `--json`.
        public var word: String {
            switch self {
            case .ready: "ready"
            case .maybe: "maybe"
            case .noNode: "no-node"
            case .noPermission: "no-permission"
            case .held, .heldByPCSCD: "held"
            case .noPCSCD: "no-pcscd"
            case .unusablePCSCD: "pcscd-unusable"
            case .notOffered: "not-offered"
            case .noLibrary: "no-libnfc"
            case .otherLibrary: "other-libnfc"
            case .unsupported: "not-supported"
            }
        }

        /// The state as displayed to users.
        public var text: String {
            switch self {
            case .ready: "ready"
            case .maybe: "ready if a PN532 is connected"
            case .noNode: "no device node"
            case .noPermission: "no permission"
            case .held(.kernel(let driver)): "held by the kernel module \(driver)"
            case .held(.program(let pid, let name)): "held by \(name) (process \(pid))"
            case .held(.unknownProgram): "held by another program"
            case .heldByPCSCD: "held by pcscd"
            case .noPCSCD: "needs pcscd"
            case .unusablePCSCD: "pcscd cannot be used"
            case .notOffered: "not listed by pcscd"
            case .noLibrary: "needs libnfc"
            case .otherLibrary: "needs another libnfc version"
            case .unsupported: "not supported"
            }
        }
    }

    /// The value for `--reader`; `nil` if there is none.
    public let name: ReaderName?
    public let make: String
    public let driver: String
    public let state: State
    public let numbers: String?
    public let node: String?

    /// A row for a reader that is not a device on this machine and is always ready.
    public init(name: ReaderName, make: String, driver: String) {
        self.init(
            name: name, make: make, driver: driver, state: .ready, numbers: nil, node: nil)
    }

    package init(
        name: ReaderName?, make: String, driver: String, state: State, numbers: String?,
        node: String?
    ) {
        self.name = name
        self.make = make
        self.driver = driver
        self.state = state
        self.numbers = numbers
        self.node = node
    }

    public var isReady: Bool { state == .ready }
    /// Whether pcscd's name for the reader shows that it is contactless.
    fileprivate var namesContactlessReader: Bool {
        ["PICC", "Contactless", " CL", "NFC"].contains { make.contains($0) }
    }
    /// Whether it makes sense to pass the reader's name to `--reader`.
    public var isUsable: Bool { state == .ready || state == .maybe }
}

extension ReaderSurvey {
    /// The readers, in the order in which they are tried: readers on USB, then those that only
    /// pcscd lists, then serial ports.
    public var rows: [ReaderRow] {
        let plugged = readers.filter(\.isReader).map(row)
        let named = plugged.compactMap { row -> String? in
            if case .smartCard(let part)? = row.name { part } else { nil }
        }
        let names = smartCardReaders ?? []
        var others: [ReaderRow] = []
        for name in names.map({ ReaderSurvey.reader(of: $0, among: names) })
        // Readers found on USB already have a row, and all slots of a reader share one.
        // A slot's name consists of the reader's name, a space, and the slot's number.
        where !named.contains(where: { name == $0 || name.hasPrefix($0 + " ") })
            && !others.contains(where: { $0.make == name })
        {
            others.append(
                ReaderRow(
                    name: .smartCard(name), make: name, driver: "PC/SC", state: .ready,
                    numbers: nil, node: nil))
        }
        return plugged + others + ports.map(row)
    }

    /// The readers that are ready and known to be contactless. pcscd also lists security keys, SIM
    /// slots, and readers for contact cards.
    public var contactlessReaders: [ReaderName] {
        var names: [ReaderName] = []
        for row in rows where row.isReady && (row.numbers != nil || row.namesContactlessReader) {
            // Two readers of the same model may share a name.
            if let name = row.name, !names.contains(name) { names.append(name) }
        }
        return names
    }

    func row(_ reader: ConnectedReader) -> ReaderRow {
        let driver =
            switch reader.model.service {
            case .libnfc(let driver): "libnfc \(driver)"
            case .smartCard: "PC/SC"
            case .serialBridge, .unsupported: "none"
            }
        return ReaderRow(
            name: name(of: reader), make: reader.model.make, driver: driver,
            state: state(of: reader), numbers: reader.model.numbers, node: reader.node.path)
    }

    func row(_ port: SerialPort) -> ReaderRow {
        let state: ReaderRow.State =
            if let holder = port.holders.first {
                .held(holder)
            } else if port.node.access == .denied {
                .noPermission
            } else {
                libraryState ?? .maybe
            }
        return ReaderRow(
            name: port.name, make: port.bridge?.make ?? "serial port", driver: "libnfc pn532_uart",
            state: state, numbers: port.bridge?.numbers, node: port.node.path)
    }

    /// The complete name of a reader. Given only a driver's name, libnfc would open the first
    /// reader it finds.
    func name(of reader: ConnectedReader) -> ReaderName? {
        switch reader.model.service {
        case .libnfc(let driver): .libnfc(driver: driver, place: reader.place)
        case .smartCard(let word): .smartCard(offered(word) ?? word)
        case .serialBridge, .unsupported: nil
        }
    }

    /// pcscd's name for a reader of this model. If the reader has several names, this is the name
    /// of its contactless interface.
    func offered(_ word: String) -> String? {
        let names = (smartCardReaders ?? []).filter { $0.contains(word) }
        let contactless = names.first { $0.contains("PICC") || $0.contains("Contactless") }
        if let contactless { return contactless }
        // SAM slots hold a security module, and "ICC" slots hold a contact card.
        let others = names.filter { !$0.contains("SAM") && !$0.contains("ICC Reader") }
        guard let first = others.first ?? names.first else { return nil }
        return ReaderSurvey.reader(of: first, among: others)
    }

    /// The name of a reader without its slot number, if the reader has several slots: pcscd's names
    /// for them differ only in that number. With this name, tapcard uses whichever slot holds the
    /// card.
    private static func reader(of slot: String, among names: [String]) -> String {
        let reader = slot.split(separator: " ").dropLast().joined(separator: " ")
        return names.count { $0.hasPrefix(reader + " ") } > 1 ? reader : slot
    }

    func state(of reader: ConnectedReader) -> ReaderRow.State {
        switch reader.model.service {
        case .serialBridge, .unsupported: return .unsupported
        case .libnfc:
            if reader.node.access == .missing { return .noNode }
            if let holder = reader.holders.first {
                return isPCSCD(holder, reader) ? .heldByPCSCD : .held(holder)
            }
            if reader.node.access == .denied { return .noPermission }
            return libraryState ?? .ready
        case .smartCard(let word):
            let others = reader.holders.filter { !isPCSCD($0, reader) }
            if let holder = others.first { return .held(holder) }
            if smartCardService == .absent { return .noPCSCD }
            if smartCardReaders == nil { return .unusablePCSCD }
            return offered(word) == nil ? .notOffered : .ready
        }
    }

    /// If libnfc is the problem, the state of a reader that needs libnfc; otherwise `nil`.
    private var libraryState: ReaderRow.State? {
        switch libnfc {
        case .notAsked, .version: nil
        case .missing: .noLibrary
        case .unusable: .otherLibrary
        }
    }

    /// Whether this holder is pcscd. pcscd runs as another user, so in many cases only its claim on
    /// the interface is visible, not the program itself. In that case, the holder is assumed to be
    /// pcscd if pcscd is running and supports this model.
    func isPCSCD(_ holder: ReaderHolder, _ reader: ConnectedReader) -> Bool {
        switch holder {
        case .kernel: return false
        case .program(_, let name): return name == "pcscd" && smartCardService != .absent
        case .unknownProgram:
            guard case .running = smartCardService else { return false }
            return reader.model.smartCardWord != nil
        }
    }
}

extension ConnectedReader {
    /// Whether this is a reader. A serial bridge is not a reader, although one may be connected to
    /// it.
    public var isReader: Bool { model.service != .serialBridge }
}

extension SerialPort {
    public var name: ReaderName { .libnfc(driver: ReaderName.uart, place: node.path) }
}

extension [ReaderRow] {
    /// The new name of a USB reader that was plugged in again and got a different number; `nil` if
    /// the match is not certain.
    ///
    /// There must be only one free reader with the same driver. If other tills use readers with
    /// that driver, all of those readers must be plugged in; otherwise, the free one could belong
    /// to another till.
    public func successor(of name: ReaderName, nextTo others: [ReaderName]) -> ReaderName? {
        guard let driver = name.driver, !contains(where: { $0.name == name }) else { return nil }
        let candidates = filter { $0.name?.driver == driver }
        let free = candidates.filter { row in row.isReady && !others.contains { $0 == row.name } }
        let theirs = others.filter { $0.driver == driver }
        guard free.count == 1, theirs.isEmpty || candidates.count == theirs.count + 1 else {
            return nil
        }
        return free[0].name
    }
}
