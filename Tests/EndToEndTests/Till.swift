import Glibc
import OperatingSystem
import TestSupport
import Testing

/// A till for one test: a home folder, a simulated reader with a blank tag on it, and the program.
/// The folder is removed when the test ends.
final class Till {
    /// The UID of the tag that a fresh simulation begins with.
    static let firstUID = "04AC6B72BA6C80"

    let home: String
    private let program: String
    private let variables: [String: String]

    init(_ variables: [String: String] = [:]) throws {
        program = try Executable.path()
        home = TestPath.new("home")
        try DurableFile.makeFolder(home)
        let usual = ["HOME": home, "TAPCARD_READER": "sim", "TZ": "UTC"]
        self.variables = usual.merging(variables) { $1 }
    }

    /// A till with the same card, ledger and keys as another one.
    convenience init(like other: Till) throws {
        try self.init()
        try takeFiles(of: other)
    }

    /// Replaces this till's files by those of another till.
    func takeFiles(of other: Till) throws {
        try Till.system("/bin/rm", "-rf", data)
        try Till.system("/bin/cp", "-a", "\(other.home)/.", home)
    }

    deinit { try? Till.system("/bin/rm", "-rf", home) }

    private static func system(_ words: String...) throws {
        let process = try ChildProcess(
            words[0], Array(words.dropFirst()), environment: [:], folder: "/tmp",
            streams: .init(output: .path("/dev/null"), errors: .path("/dev/null")))
        #expect(try process.end().status == 0)
    }

    /// The folder of this reader's books, which is separate for a simulated one.
    var data: String {
        let isPlay = variables["TAPCARD_READER"]?.hasPrefix("sim") == true
        return "\(home)/.local/share/tapcard" + (isPlay ? "/simulated" : "")
    }
    var simulation: SimulationFileText { SimulationFileText(path: "\(data)/simulation.txt") }
    var ledger: String { "\(data)/ledger.sqlite" }
    var keys: String { "\(data)/keys.json" }

    /// Starts a command line with additional variables; nil removes one. `files` limits the number
    /// of open files.
    func start(
        _ words: [String], with more: [String: String?] = [:],
        streams: ChildProcess.Streams = .init(), files: Int? = nil
    ) throws -> ChildProcess {
        var environment = variables
        for (name, value) in more { environment[name] = value }
        let limiting = files.map { ["-c", "ulimit -n \($0); exec \"$0\" \"$@\"", program] }
        return try ChildProcess(
            files == nil ? program : "/bin/sh", (limiting ?? []) + words, environment: environment,
            folder: home, streams: streams)
    }

    func run(_ words: [String], with more: [String: String?] = [:]) throws -> Ended {
        try start(words, with: more).end()
    }

    /// The maximum number of repetitions of a run that found no reader or database in time.
    static let mostTries = 5

    /// Runs a line, and repeats it if it found no reader or database in time. `again` is called before
    /// each repetition.
    func runPatiently(
        _ line: String, with more: [String: String?] = [:], again: () throws -> Void = {}
    ) throws -> Ended {
        var ended = try run(words(of: line), with: more)
        for _ in 0..<Till.mostTries where ended.isWithoutReader || ended.isWithoutDatabase {
            try again()
            ended = try run(words(of: line), with: more)
        }
        return ended
    }

    /// A step that must succeed; returns its output without the last line feed.
    @discardableResult
    func step(
        _ line: String, at location: SourceLocation = #_sourceLocation
    ) throws -> String {
        let ended = try runPatiently(line)
        #expect(ended.status == 0, "\(line): \(ended.errors)", sourceLocation: location)
        return String(ended.output.dropLast())
    }

    /// Runs a command line and compares its exit status and both streams, with varying parts
    /// masked.
    func expect(
        _ line: String, status: Int32 = 0, prints output: String = "",
        complains errors: String = "", with more: [String: String?] = [:],
        at location: SourceLocation = #_sourceLocation
    ) throws {
        try expect(
            words(of: line), status: status, prints: output, complains: errors, with: more,
            at: location)
    }

    /// Runs a command whose words may contain spaces or be empty.
    func expect(
        _ words: [String], status: Int32 = 0, prints output: String = "",
        complains errors: String = "", with more: [String: String?] = [:],
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let ended = try run(words, with: more)
        let command: Comment = "tapcard \(words.joined(separator: " "))"
        #expect(ended.status == status, command, sourceLocation: location)
        #expect(masked(ended.output) == line(output), command, sourceLocation: location)
        let complaint = errors.isEmpty ? "" : "tapcard: \(errors)"
        #expect(masked(ended.errors) == line(complaint), command, sourceLocation: location)
    }

    /// The operation's id that a command line printed.
    func operation(in output: String) throws -> String {
        try #require(Mask.uuid.first(in: output))
    }

    func file(_ name: String) -> String { "\(home)/\(name)" }

    /// Writes a file, with its folder.
    func write(_ text: String, to path: String, mode: UInt32 = 0o600) throws {
        try DurableFile.makeFolder(
            path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
                .joined(separator: "/"))
        try DurableFile(path).write(Array(text.utf8), mode: mode)
    }

    func setMode(of path: String, _ mode: mode_t) throws {
        try #require(unsafe chmod(path, mode) == 0)
    }

    func text(of path: String) throws -> String {
        String(decoding: try #require(try DurableFile(path).read()), as: UTF8.self)
    }

    /// The output of a run, with ids, times and the home folder masked.
    func masked(_ text: String) -> String {
        Mask.apply(to: text).replacing(home, with: "~")
    }

    func words(of line: String) -> [String] {
        line.split(separator: " ").map { String($0.replacing("~", with: home)) }
    }

    private func line(_ text: String) -> String { text.isEmpty ? "" : text + "\n" }
}
