import Glibc

/// The service manager that started this program, such as systemd, if there is one.
enum ServiceManager {
    /// A state to report.
    enum State: String {
        case ready = "READY=1"
        case stopping = "STOPPING=1"
    }

    /// Reports a state if a service manager is listening. Failures are ignored, because the
    /// manager's own timeout detects a missing report.
    static func report(_ state: State) {
        guard let path = unsafe getenv("NOTIFY_SOCKET").map({ unsafe String(cString: $0) }),
            path.hasPrefix("/") || path.hasPrefix("@")
        else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        // A longer name would not fit in the address.
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        // An abstract name begins with a zero byte.
        if name[0] == UInt8(ascii: "@") { name[0] = 0 }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let length = MemoryLayout<sa_family_t>.size + name.count
        let text = Array(state.rawValue.utf8)
        _ = unsafe withUnsafeBytes(of: &address) { bytes in
            unsafe bytes.withMemoryRebound(to: sockaddr.self) { target in
                unsafe sendto(
                    descriptor, text, text.count, Int32(MSG_NOSIGNAL), target.baseAddress,
                    socklen_t(length))
            }
        }
    }
}
