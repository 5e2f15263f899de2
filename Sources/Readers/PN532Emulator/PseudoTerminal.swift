import CLinux
import Glibc

/// An emulated serial line. Bytes that a client writes to the device can be read here, and vice
/// versa.
package final class PseudoTerminal {
    private static let maximumNameLength = 128

    /// The emulator's end, which never blocks.
    package let master: Int32
    /// A descriptor for the device itself. Without it, the emulator's end would report a hang-up
    /// whenever no client has the device open.
    private let device: Int32
    package let path: String

    private init(master: Int32, device: Int32, path: String) {
        self.master = master
        self.device = device
        self.path = path
    }

    deinit {
        close(device)
        close(master)
    }

    package static func open() throws(EmulatorError) -> PseudoTerminal {
        let master = linux_openpt()
        guard master >= 0 else { throw .last("the pseudo-terminal") }
        var name = [CChar](repeating: 0, count: maximumNameLength)
        let flags = fcntl(master, F_GETFL)
        guard linux_unlockpt(master) == 0,
            unsafe linux_ptsname(master, &name, name.count) == 0,
            fcntl(master, F_SETFL, flags | O_NONBLOCK) == 0
        else {
            let error = EmulatorError.last("the pseudo-terminal")
            close(master)
            throw error
        }
        let path = String(
            decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // O_NOCTTY keeps the device from becoming this process's controlling terminal.
        let device = unsafe Glibc.open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        // The terminal is put into raw mode; otherwise, it would echo bytes and change line
        // endings.
        guard device >= 0, linux_make_raw(device) == 0 else {
            let error = EmulatorError.last(path)
            if device >= 0 { close(device) }
            close(master)
            throw error
        }
        return PseudoTerminal(master: master, device: device, path: path)
    }
}

extension EmulatorError {
    /// An error with the message for the system's last error.
    static func last(_ what: String) -> EmulatorError {
        EmulatorError(.system, "\(what): \(unsafe String(cString: strerror(errno)))")
    }
}
