import CLibNFC
import Glibc
import Tags

/// The only owner of libnfc in this process: its context, which lives as long as the process, and
/// the device that may be open.
///
/// There is only one of each, because ending any context removes the drivers of all others, and
/// listing readers disturbs an open one.
@LibNFCLane
@safe
final class LibNFC {
    private static var shared: LibNFC?
    /// The maximum number of readers that are listed. A machine has fewer; each takes 1024 bytes.
    private static let mostReaders = 16

    private let library: LibNFCLibrary
    private let context: OpaquePointer
    private var lastTicket: UInt64 = 0
    private var ticket: UInt64?
    private(set) var device: LibNFCDevice?

    private init(_ library: LibNFCLibrary, _ context: OpaquePointer) {
        self.library = library
        unsafe self.context = context
    }

    /// The libnfc instance, started on first use.
    static func started() throws(ReaderError) -> LibNFC {
        if let shared { return shared }
        let library = try LibNFCLibrary.load()
        // On its own, libnfc writes to standard error, and it may search serial ports if its
        // configuration says so. The user's settings are kept.
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

    /// The exclusive right to have a reader open, until it is returned.
    func reserve() throws(ReaderError) -> UInt64 {
        guard ticket == nil else {
            throw ReaderError(.busy, "this program is already using a reader")
        }
        lastTicket += 1
        // A new number each time, so that an old reader cannot return the right that belongs to a
        // newer one.
        ticket = lastTicket
        return lastTicket
    }

    func giveBack(_ ticket: UInt64) {
        guard self.ticket == ticket else { return }
        closeDevice()
        self.ticket = nil
    }

    /// Opens a reader and gets it ready, with its field off.
    func open(
        _ connection: ConnectionString, _ abortSwitch: AbortSwitch
    ) throws(ReaderError) -> LibNFCDevice {
        closeDevice()
        guard DescriptorTable.hasRoomForReader else {
            throw ReaderError(
                .noReader, "too many files are open; libnfc allows at most 1024 descriptors")
        }
        // Before nfc_open: libnfc lets two programs open the same serial port.
        let claim: PortClaim?
        if let node = connection.node { claim = try PortClaim.take(node) } else { claim = nil }
        guard let pointer = unsafe library.functions.open(context, connection.text) else {
            // nfc_open does not report a cause.
            let what =
                connection.node == nil
                ? "another program is using it, or you do not have permission"
                : "no reader answers at that address"
            throw ReaderError(.noReader, "\(connection.text) cannot be opened: \(what)")
        }
        let device = unsafe LibNFCDevice(
            pointer, of: library, claim: claim, limit: connection.driver.commandLimit, abortSwitch)
        self.device = device
        let steps: [() -> LibNFCStatus?] = [
            { device.initialise() },
            // Without this, a search in an empty field would never end.
            { device.set(NP_INFINITE_SELECT, false) },
            // Otherwise, the chip would repeat and join ISO/IEC 14443-4 blocks on its own: `IsoDep`
            // does that.
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

    /// The complete connection strings of the readers that libnfc finds.
    func list() throws(ReaderError) -> [String] {
        guard ticket == nil else {
            throw ReaderError(.busy, "readers cannot be listed while one is open")
        }
        let size = Int(tapcard_libnfc_connstring_size)
        var strings = [CChar](repeating: 0, count: size * Self.mostReaders)
        let count = unsafe withUnsafePointer(to: library.functions) { functions in
            unsafe tapcard_libnfc_list(functions, context, &strings, Self.mostReaders)
        }
        return (0..<min(count, Self.mostReaders)).map { number in
            let string = strings[(number * size)..<((number + 1) * size)].prefix { $0 != 0 }
            return String(decoding: string.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}
