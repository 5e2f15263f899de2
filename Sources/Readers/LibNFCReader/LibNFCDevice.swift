import CLibNFC
import Tags

/// An open libnfc device. Its owner must close it.
@LibNFCLane
@safe
final class LibNFCDevice {
    /// The result of one command.
    enum Reply {
        case answer([UInt8])
        /// libnfc's error and the chip's status, which is the first byte of the response.
        case failure(LibNFCStatus, ChipStatus)
    }

    /// The maximum number of bytes in a response that libnfc can handle.
    private static let maximumAnswerLength = 264

    private let library: LibNFCLibrary
    private let abortSwitch: AbortSwitch
    private var claim: PortClaim?
    private let limit: Int32
    private var pointer: OpaquePointer?

    init(
        _ pointer: OpaquePointer, of library: LibNFCLibrary, claim: PortClaim?,
        limit: Int32, _ abortSwitch: AbortSwitch
    ) {
        unsafe self.pointer = pointer
        self.library = library
        self.claim = claim
        self.limit = limit
        self.abortSwitch = abortSwitch
        unsafe abortSwitch.arm(pointer, library)
    }

    var name: String {
        guard let text = unsafe library.functions.get_name(pointer) else { return "" }
        return unsafe String(cString: text)
    }

    /// libnfc's description of the chip, several lines long.
    var information: String {
        var text: UnsafeMutablePointer<CChar>?
        guard unsafe library.functions.get_information_about(pointer, &text) >= 0,
            let text = unsafe text
        else { return "" }
        defer { unsafe library.functions.free(text) }
        return unsafe String(cString: text)
    }

    func initialize() -> LibNFCStatus? {
        status(unsafe library.functions.initiator_init(pointer))
    }

    func set(_ property: nfc_property, _ isOn: Bool) -> LibNFCStatus? {
        status(unsafe library.functions.set_property_bool(pointer, property, isOn))
    }

    /// Sends one command to the chip. If the command belongs to a wait, it can be aborted.
    func send(_ command: ChipCommand, wait: UInt64? = nil) -> Reply {
        guard let wait else { return transceive(command) }
        return abortSwitch.during(wait) { transceive(command) } ?? .failure(.aborted, .noError)
    }

    /// Closes the device and releases its port.
    func close() {
        guard let open = unsafe pointer else { return }
        // This comes first; otherwise, an abort could use the closed device.
        abortSwitch.disarm()
        unsafe pointer = nil
        unsafe library.functions.close(open)
        // The port is released here, not with the last reference to this object, so that others can
        // use it right away.
        claim = nil
    }

    private func transceive(_ command: ChipCommand) -> Reply {
        // The buffer is zeroed, because libnfc reads the first byte even if the response is empty.
        var answer = [UInt8](repeating: 0, count: Self.maximumAnswerLength)
        let result = unsafe library.functions.pn53x_transceive(
            pointer, command.bytes, command.bytes.count, &answer, answer.count,
            limit)
        guard result >= 0 else {
            return .failure(
                LibNFCStatus(rawValue: result), ChipStatus(rawValue: answer[0]))
        }
        return .answer(Array(answer.prefix(Int(result))))
    }

    private func status(_ result: Int32) -> LibNFCStatus? {
        result < 0 ? LibNFCStatus(rawValue: result) : nil
    }
}
