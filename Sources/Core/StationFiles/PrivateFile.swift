import OperatingSystem
import TapcardCore

/// A file that contains secrets and that only its owner may use. Its errors refer to the file by
/// name.
struct PrivateFile: Sendable {
    static let mode: UInt32 = 0o600
    private static let accessByOthers: UInt32 = 0o077

    let path: String
    let secret: NextStep.FileStep.File
    let kind: TapcardError.Kind
    /// The file's name for the start of a sentence, without the path.
    let name: String
    /// The consequence for the user if the file cannot be used.
    let meaning: String
    /// The consequence of a failed change, which leaves the file as it was.
    let unchanged: String

    /// The file's name and path, as messages use them.
    var named: String { "\(name) \(path)" }

    init(
        path: String, secret: NextStep.FileStep.File, kind: TapcardError.Kind, name: String,
        meaning: String, unchanged: String? = nil
    ) {
        (self.path, self.secret, self.kind, self.name) = (path, secret, kind, name)
        (self.meaning, self.unchanged) = (meaning, unchanged ?? meaning)
    }

    /// Refuses a file that others can use. If `mayBeForeign` is true, the file may belong to
    /// another user.
    func requirePrivate(mayBeForeign: Bool = false) throws(TapcardError) {
        switch try translating(
            DurableFile(path).exposure(PrivateFile.accessByOthers), into: unreadable)
        {
        case .permitted(let mode):
            throw refusal(
                "\(named) can be read by other users (mode \(String(mode, radix: 8))).",
                .makePrivate(secret, path))
        case .foreign where !mayBeForeign:
            throw refusal("\(named) belongs to another user.", .runAsOwner(secret))
        case .foreign, nil: break
        }
    }

    /// Replaces the whole file. If this fails, the error says whether the new content is in place.
    func write(_ text: String) throws(TapcardError) {
        try translating(
            DurableFile(path).write(Array(text.utf8), mode: PrivateFile.mode)
        ) { (error: FileError) in
            TapcardError.unwritten(
                name, error, kind: kind, meaning: unchanged, next: [.file(.makeRoom)])
        }
    }

    /// Runs the body while holding a lock, so that no other process changes the file.
    func withExclusiveLock<Success>(
        _ body: () throws(TapcardError) -> Success
    ) throws(TapcardError) -> Success {
        try FileLock.holding(path + ".lock", orThrow: unlockable, body)
    }

    func unlockable(_ error: FileError) -> TapcardError {
        refusal(
            "\(name) could not be locked: \(error.detail).", .makeRoom, meaning: unchanged)
    }

    func unreadable(_ error: FileError) -> TapcardError {
        refusal("\(name) cannot be read: \(error.detail).", .runAsOwner(secret))
    }

    func refusal(
        _ what: String, _ step: NextStep.FileStep, meaning: String? = nil
    ) -> TapcardError {
        TapcardError(kind, what, meaning: meaning ?? self.meaning, next: [.file(step)])
    }
}
