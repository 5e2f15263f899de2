import BlockingLane
import Bridge
import Glibc
import OperatingSystem
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs

/// A systemd unit that runs `tapcard reader` for the current user, without root.
enum ReaderUnit {
    private static let limit = Duration.seconds(30)
    private static let notInstalled = "The reader will not start by itself."

    /// Installs the service for the reader in these settings, or replaces it, and starts it.
    static func install(
        for settings: Settings, _ server: String
    ) async throws(TapcardError) -> Report {
        let name = unitName(settings.readerText)
        let folder = try configurationFolder + "/systemd/user"
        let path = "\(folder)/\(name).service"
        // Without lingering, systemd would start the service only when the user logs in.
        try await run("loginctl", "enable-linger")
        try translating(write(unit(settings), to: path, in: folder)) { (error: FileError) in
            TapcardError(
                .fileUnusable, "The service file \(path) cannot be written: \(error.detail).",
                meaning: notInstalled)
        }
        try await run("systemctl", "--user", "enable", path)
        try await run("systemctl", "--user", "restart", name)
        return Report(
            ["server": .string(server)],
            [
                "tapcard reader now runs in the background, and starts with this machine",
                "To see its log, run: journalctl --user --unit \(name)",
                "To stop it for good, run: systemctl --user disable --now \(name)",
            ], isChange: true)
    }

    /// A machine may have several readers, each with a service of its own.
    private static func unitName(_ reader: String) -> String {
        let words = reader.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        return (["tapcard-reader"] + words).joined(separator: "-")
    }

    private static var configurationFolder: String {
        get throws(TapcardError) {
            let variables = Wiring.environment.variables
            if let folder = variables["XDG_CONFIG_HOME"], folder.hasPrefix("/") { return folder }
            guard let home = variables["HOME"] else {
                throw TapcardError.usage("The variable HOME is not set.", advice: "Set it.")
            }
            return home + "/.config"
        }
    }

    /// Writes the file, which may contain a proxy's password.
    private static func write(
        _ text: String, to path: String, in folder: String
    ) throws(FileError) {
        try DurableFile.makeFolder(folder)
        try DurableFile(path).write(Array(text.utf8), mode: 0o600)
    }

    /// The variables that are copied into the unit, because systemd does not know this shell's.
    private static let variables =
        ["XDG_DATA_HOME", "XDG_CONFIG_HOME", "TAPCARD_DATA"]
        + MachineConnections.proxyVariables + ["no_proxy", "NO_PROXY"]

    private static func unit(_ settings: Settings) -> String {
        let reader = settings.readerText
        let words = [program] + (reader.isEmpty ? [] : ["--reader", reader]) + ["reader"]
        // systemd starts the service in another folder, where a relative path would not work.
        let authorities = settings.authoritiesPath.map { path in
            (try? DurableFile(path).resolved().path) ?? path
        }
        let environment = (variables.map { ($0, value($0)) } + [("TAPCARD_CA_FILE", authorities)])
            .compactMap { name, value in
                value.map { "Environment=\(quoted("\(name)=\($0)"))\n" }
            }
        return """
            # Written by tapcard reader --install.
            [Unit]
            Description=Connects a reader to a tapcard server
            Documentation=man:tapcard-reader(1)
            StartLimitIntervalSec=0

            [Service]
            ExecStart=\(words.map { quoted($0).replacing("$", with: "$$") }.joined(separator: " "))
            \(environment.joined())Restart=on-failure
            RestartSec=5
            # A new code or a newer tapcard is needed, or another machine has become this till.
            RestartPreventExitStatus=2 8
            KillMode=mixed

            [Install]
            WantedBy=default.target

            """
    }

    /// A word, quoted for systemd.
    private static func quoted(_ word: String) -> String {
        let escaped = word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n")
        return "\"\(escaped.replacing("%", with: "%%"))\""
    }

    /// The path of this program.
    private static var program: String {
        (try? DurableFile("/proc/self/exe").resolved().path) ?? "tapcard"
    }

    private static func value(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// Runs one of systemd's programs.
    private static func run(_ words: String...) async throws(TapcardError) {
        let paths = (value("PATH") ?? "").split(separator: ":").map { "\($0)/\(words[0])" }
        let path = paths.first { path in unsafe access(path, X_OK) == 0 }
        guard let path else {
            throw TapcardError(
                .failed, "This system has no \(words[0]), so it does not use systemd.",
                meaning: notInstalled,
                advice: "Have your system's service manager run tapcard reader at startup.")
        }
        // The program needs these to find the user's systemd.
        var environment: [String: String] = [:]
        for name in ["HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"] {
            environment[name] = value(name)
        }
        let outcome = await ChildCommand([path] + words.dropFirst(), limit: limit)
            .run(input: [], environment, until: Guarded(false))
        guard outcome == .exited(0) else {
            throw TapcardError(
                .failed, "The command \(words.joined(separator: " ")) failed.",
                meaning: notInstalled,
                advice: "Log in as the user who runs the reader, at the machine or with ssh, not "
                    + "with su or sudo. Then try again. Without systemd, have your system's "
                    + "service manager run tapcard reader at startup.")
        }
    }
}
