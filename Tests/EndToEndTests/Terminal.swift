import Glibc
import Testing

/// A pseudo-terminal: what a program writes to it is what a person would see.
final class Terminal {
    private static let unlock: UInt = 0x4004_5431
    private static let number: UInt = 0x8004_5430

    private let master: Int32

    /// The name under which a program can open it.
    let path: String

    init() throws {
        master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        try #require(master >= 0, "no pseudo-terminal")
        var zero: Int32 = 0
        var number: Int32 = 0
        let answers = unsafe [
            ioctl(master, Terminal.unlock, &zero), ioctl(master, Terminal.number, &number),
        ]
        try #require(answers == [0, 0])
        path = "/dev/pts/\(number)"
    }

    deinit { close(master) }

    /// Presses keys.
    func type(_ text: String) {
        let bytes = Array(text.utf8)
        let count = unsafe Glibc.write(master, bytes, bytes.count)
        #expect(count == bytes.count)
    }

    /// The terminal's flags and special characters.
    var settings: [String] {
        var settings = termios()
        guard unsafe tcgetattr(master, &settings) == 0 else { return ["gone"] }
        return [
            "\(settings.c_iflag)", "\(settings.c_oflag)", "\(settings.c_cflag)",
            "\(settings.c_lflag)", "\(settings.c_cc)",
        ]
    }

    var showsKeys: Bool {
        var settings = termios()
        return unsafe tcgetattr(master, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    /// Does what a shell does for its own line.
    func showKeys() {
        var settings = termios()
        #expect(unsafe tcgetattr(master, &settings) == 0)
        settings.c_lflag |= tcflag_t(ECHO)
        #expect(unsafe tcsetattr(master, TCSANOW, &settings) == 0)
    }

    /// Everything written since the last time. A terminal shows a line feed as two characters.
    func read() -> String {
        var text: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(master, buffer.baseAddress, buffer.count)
            }
            guard count > 0 else { break }
            text += bytes.prefix(count)
        }
        return String(decoding: text, as: UTF8.self).replacing("\r\n", with: "\n")
    }
}
