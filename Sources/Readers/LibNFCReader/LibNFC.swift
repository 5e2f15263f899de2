import CLibNFC
import Glibc
import Tags

/// The process's only instance of libnfc. It owns libnfc's context, which lasts as long as the
/// process, and the open device, if there is one.
///
/// There is only one context, because closing any context removes the drivers of all others, and
/// only one open device, because a search for readers disturbs an open reader.
@LibNFCLane
@safe
final class LibNFC {
    private static var shared: LibNFC?
    /// The maximum number of readers to list. Each name takes up 1024 bytes.
    private static let maximumReaders = 16

    private let library: LibNFCLibrary
    private let context: OpaquePointer
    private var lastTicket: UInt64 = 0
    private var ticket: UInt64?
    private(set) var device: LibNFCDevice?

    private init(_ library: LibNFCLibrary, _ context: OpaquePointer) {
        self.library = library
        unsafe self.context = context
    }

    /// Returns the libnfc instance, and starts it on first use.
    static func started() throws(ReaderError) -> LibNFC {
        if let shared { return shared }
        let library = try LibNFCLibrary.load()
        // By default, libnfc writes to standard error, and its configuration may make it search
        // serial ports. The final 0 leaves variables that the user has set unchanged.
        unsafe setenv("LIBNFC_LOG_LEVEL", "0", 0)
        unsafe setenv("LIBNFC_INTRUSIVE_SCAN", "0", 0)
        var context: OpaquePointer?
        unsafe library.functions.`init`(&context)
        guard let context = unsafe context else {
            throw ReaderError(.noReader, "libnfc cannot start")
        }
        let started = unsafe LibNFC(library, context)
        shared = started
        return started
    }

    /// Reserves the right to open a reader. Returns a ticket, which must later be passed to
    /// `giveBack`.
    func reserve() throws(ReaderError) -> UInt64 {
        guard ticket == nil else {
            throw ReaderError(.busy, "this program is already using a reader")
        }
        lastTicket += 1
        // The number is new each time, so that an old reader cannot give back a newer reader's
        // ticket.
        ticket = lastTicket
        return lastTicket
    }

    func giveBack(_ ticket: UInt64) {
        guard self.ticket == ticket else { return }
        closeDevice()
        self.ticket = nil
    }

    /// Opens a reader and initializes it; its field stays off.
    func open(
        _ connection: ConnectionString, _ abortSwitch: AbortSwitch
    ) throws(ReaderError) -> LibNFCDevice {
        closeDevice()
        guard DescriptorTable.hasRoomForReader else {
            throw ReaderError(
                .noReader, "too many files are open; libnfc allows at most 1024 descriptors")
        }
        // The port is claimed before nfc_open, because libnfc lets two programs open the same port.
        let claim: PortClaim?
        if let node = connection.node { claim = try PortClaim.take(node) } else { claim = nil }
        guard let pointer = unsafe library.functions.open(context, connection.text) else {
            // nfc_open does not report a cause, so the message gives the likely one.
            let cause =
                connection.node == nil
                ? "another program is using it, or you do not have permission"
                : "no reader responds at that address"
            throw ReaderError(.noReader, "\(connection.text) cannot be opened: \(cause)")
        }
        let device = unsafe LibNFCDevice(
            pointer, of: library, claim: claim, limit: connection.driver.commandLimit, abortSwitch)
        self.device = device
        let steps: [() -> LibNFCStatus?] = [
            { device.initialize() },
            // Without this, a search in an empty field would never end.
            { device.set(NP_INFINITE_SELECT, false) },
            // Without this, the chip would repeat and chain ISO/IEC 14443-4 blocks on its own, but
            // that is `ReaderSide`'s job.
            { device.set(NP_AUTO_ISO14443_4, false) },
            { device.set(NP_ACTIVATE_FIELD, false) },
        ]
        for step in steps {
            guard let status = step() else { continue }
            closeDevice()
            throw ReaderError(.noReader, "\(connection.text) could not be initialized: \(status)")
        }
        return device
    }

    func closeDevice() {
        device?.close()
        device = nil
    }

    /// Returns the complete connection strings of the readers that libnfc finds.
    func list() throws(ReaderError) -> [String] {
        guard ticket == nil else {
            throw ReaderError(.busy, "readers cannot be listed while one is open")
        }
        let size = Int(tapcard_libnfc_connstring_size)
        var strings = [CChar](repeating: 0, count: size * Self.maximumReaders)
        let count = unsafe withUnsafePointer(to: library.functions) { functions in
            unsafe tapcard_libnfc_list(functions, context, &strings, Self.maximumReaders)
        }
        return (0..<min(count, Self.maximumReaders)).map { index in
            let string = strings[(index * size)..<((index + 1) * size)].prefix { $0 != 0 }
            return String(decoding: string.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}
