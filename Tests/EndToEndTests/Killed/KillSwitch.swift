import OperatingSystem
import TestSupport
import Testing

/// The library that is loaded before the C library, and its settings. It counts the calls that
/// change the disk or the reader's line, and acts at one of them.
struct KillSwitch {
    /// The fault at a call.
    enum Action: Hashable, CustomStringConvertible {
        case killBefore
        case killAfter
        /// The call fails with this error number, once or from then on.
        case fail(Int32)
        case failOn(Int32)
        /// Half of the bytes are written.
        case short

        var description: String {
            switch self {
            case .killBefore: "kill-before"
            case .killAfter: "kill-after"
            case .fail(let number): "fail \(number)"
            case .failOn(let number): "fail-on \(number)"
            case .short: "short"
            }
        }

        var kills: Bool {
            switch self {
            case .killBefore, .killAfter: true
            case .fail, .failOn, .short: false
            }
        }
    }

    /// One line of its log.
    struct Call: Equatable {
        /// Counted from 1; 0 where it was not counted.
        let number: Int
        /// `ledger` for every file that must be durable, `reader`, `database`, `told` for standard
        /// output, or `stray` for closing a descriptor that is not open.
        let kind: String
        let name: String
        let path: String
        /// The second name of a rename or link.
        let other: String
    }

    struct Missing: Error {
        let path: String
    }

    private let library: String
    private let files: String
    private let reader: String?
    private let database: String?
    private let log: String

    /// `files` is the folder whose files count, by default that of keys and ledger. `database` is
    /// the folder of a server's socket.
    init(
        _ till: Till, reader: String? = nil, files: String? = nil, database: String? = nil
    ) throws {
        let program = try Executable.path()
        let folder = program.prefix(upTo: try #require(program.lastIndex(of: "/")))
        library = "\(folder)/libKillSwitch.so"
        guard try DurableFile(library).permissions() != nil else { throw Missing(path: library) }
        self.files = files ?? till.data
        self.reader = reader
        self.database = database
        log = till.file("calls")
    }

    /// The variables for a run. `calls` names the calls that count, by default all of them.
    func variables(
        _ action: Action? = nil, at place: Int = 0, calls: String? = nil, once: String? = nil
    ) -> [String: String?] {
        [
            "LD_PRELOAD": library, "KILL_SWITCH_FILES": files, "KILL_SWITCH_READER": reader,
            "KILL_SWITCH_DATABASE": database, "KILL_SWITCH_LOG": log, "KILL_SWITCH_CALLS": calls,
            "KILL_SWITCH_ONCE": once,
            "KILL_SWITCH_AT": action.map { _ in String(place) },
            "KILL_SWITCH_DO": action?.description,
        ]
    }

    /// The calls since the log was taken last.
    func takeLog() throws -> [Call] {
        let file = DurableFile(log)
        let text = String(decoding: try file.read() ?? [], as: UTF8.self)
        try file.remove()
        return try text.split(separator: "\n").map { line in
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            try #require(words.count == 5, "\(line)")
            return Call(
                number: try #require(Int(words[0])), kind: String(words[1]), name: String(words[2]),
                path: String(words[3]), other: String(words[4]))
        }
    }
}

extension [KillSwitch.Call] {
    /// How many of them count.
    var counted: Int { map(\.number).max() ?? 0 }
}
