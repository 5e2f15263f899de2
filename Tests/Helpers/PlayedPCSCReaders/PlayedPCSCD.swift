import Glibc

/// The real pcscd with vpcd as its only driver, isolated with its own /run, no USB drivers, and a
/// network with only the loopback, because vpcd listens on every address. It ends with its owner,
/// and with the test process in any case.
public final class PlayedPCSCD {
    private static let driver = "/usr/lib/pcsc/drivers/serial/libifdvpcd.so"
    private static let program = "/usr/sbin/pcscd"

    private let folder: String
    private let process: pid_t
    /// pcscd lives until this is closed.
    private let lifeline: Int32
    private var links: [PlayedLink] = []

    /// Returns when pcscd knows its readers and serves clients. `folder` is empty, or that of an
    /// earlier pcscd that has stopped.
    public init(_ slots: [PlayedSlot], in folder: String) throws {
        for path in [PlayedPCSCD.driver, PlayedPCSCD.program] {
            guard unsafe access(path, F_OK) == 0 else {
                throw PlayFailure("\(path) is missing; run: make deps")
            }
        }
        for name in ["run", "conf"] { unsafe mkdir("\(folder)/\(name)", 0o755) }
        self.folder = folder
        let readers = slots.filter { $0.number == 0 }
        try PlayedPCSCD.write(
            readers.map { slot in
                """
                FRIENDLYNAME "\(slot.friendlyName)"
                DEVICENAME /dev/null:\(slot.port)
                LIBPATH \(folder)/driver-\(slot.port).so
                CHANNELID \(slot.port)

                """
            }.joined(separator: "\n"), to: "\(folder)/conf/readers")
        let hasOwnUsers = geteuid() != 0
        let doorway = try PCSCDSocket(at: PlayedPCSCD.socket(in: folder))
        do {
            // From then on only pcscd holds it open.
            defer { close(doorway.listener) }
            let words =
                ["unshare", "--mount", "--net"] + (hasOwnUsers ? ["--map-root-user"] : [])
                + ["sh", "-c", PlayedPCSCD.script, "sh", folder] + readers.map { "\($0.port)" }
            (process, lifeline) = try PlayedPCSCD.launch(words, doorway.listener)
        }
        guard doorway.isServed() else {
            stop()
            throw PlayFailure(
                "pcscd did not start; may this user make a namespace (unshare -r -m -n)?")
        }
        let network = NetworkOfProcess(process: process, hasOwnUsers: hasOwnUsers)
        links = slots.map { PlayedLink($0, in: network) }
    }

    /// The process, and the descriptor that keeps it alive.
    private static func launch(_ words: [String], _ listener: Int32) throws -> (pid_t, Int32) {
        var ends: [Int32] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, NetworkRelay.kindOfSocket, 0, &ends) == 0 else {
            throw PlayFailure("no pair of sockets")
        }
        defer { close(ends[0]) }
        do {
            return (try spawn(words, input: ends[0], listener: listener), ends[1])
        } catch {
            close(ends[1])
            throw error
        }
    }

    /// Where libpcsclite finds it.
    public static func socket(in folder: String) -> String { "\(folder)/run/pcscd.comm" }

    /// Ends every process that was started and waits until they are gone.
    public func stop() {
        close(lifeline)
        // pcscd goes first: a reader that went before it would be one that answers nothing. It is
        // left unreaped, so that no other process has its number while links may ask for it.
        var information = unsafe siginfo_t()
        unsafe waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT)
        links.forEach { $0.end() }
        links = []
        var status: Int32 = 0
        unsafe waitpid(process, &status, 0)
        unsafe unlink(PlayedPCSCD.socket(in: folder))
    }

    /// Removes the folder with everything in it.
    public static func remove(_ folder: String, of slots: [PlayedSlot]) {
        let files =
            ["conf/readers", "run/pcscd.pid"]
            + slots.map { "driver-\($0.port).so" }
        for name in files { unsafe unlink("\(folder)/\(name)") }
        for name in ["conf", "run", ""] { unsafe rmdir("\(folder)/\(name)") }
    }

    /// vpcd sends length and message separately and waits for the first to be acknowledged:
    /// immediately here, 40 ms later elsewhere. Each reader has a copy of the driver, because a
    /// driver has room for only one reader.
    ///
    /// The shell runs until its input ends, which also happens when the test process ends.
    private static let script = """
        set -e
        folder=$1
        shift
        for port in "$@"; do cp \(driver) "$folder/driver-$port.so"; done
        ip link set lo up
        ip route replace table local local 127.0.0.1 dev lo src 127.0.0.1 quickack 1
        mount -t tmpfs tmpfs /usr/lib/pcsc/drivers
        mount -t tmpfs tmpfs /run
        mkdir /run/pcscd
        mount --bind "$folder/run" /run/pcscd
        LISTEN_FDS=1 sh -c 'export LISTEN_PID=$$; exec "$@"' sh \
            \(program) --foreground --config "$folder/conf" &
        exec 3<&-
        read -r end || true
        kill $!
        wait $! || true
        """

    private static func write(_ text: String, to path: String) throws {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw PlayFailure("\(path) cannot be written") }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw PlayFailure("\(path) cannot be written")
        }
    }
}
