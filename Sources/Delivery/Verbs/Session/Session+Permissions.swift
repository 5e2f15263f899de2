import Ledger
import OperatingSystem
import TapcardCore

extension Session {
    private static let othersMayWrite: UInt32 = 0o022

    /// Refuses a folder or a file that other users can write, because they could replace its
    /// content.
    func requireUnwritable(
        _ path: String, _ what: String, _ kind: TapcardError.Kind
    ) throws(TapcardError) {
        // A file without readable permissions is refused when it is opened.
        guard let exposure = try? DurableFile(path).exposure(Session.othersMayWrite) else { return }
        let (words, advice) =
            switch exposure {
            case .foreign:
                (
                    "The \(what) \(path) belongs to another user.",
                    "Run tapcard as that user (sudo -u NAME), or keep the \(what) in a folder of "
                        + "your own."
                )
            case .permitted(let mode):
                (
                    "Others may write to the \(what) \(path) (mode \(String(mode, radix: 8))).",
                    "If nobody has: chmod go-w \(path)"
                )
            }
        throw TapcardError(
            kind, words,
            meaning: "Nothing was done: whoever writes there can change what cards are worth.",
            advice: advice)
    }

    /// Refuses a data folder in which other users could replace the keys.
    func requireSafeDataFolder() throws(TapcardError) {
        try requireUnwritable(settings.dataFolder, "data folder", .fileUnusable)
        if let folder = DurableFile(settings.keyPath).exposedFolder() {
            throw Session.refusal(of: folder, "keys", .fileUnusable)
        }
    }

    /// Refuses folders in which other users could replace keys or ledger.
    func requireSafePlaces() throws(TapcardError) {
        try requireSafeDataFolder()
        guard case .file(let path) = try settings.ledgerPlace else { return }
        let ledger = DurableFile(path)
        // A folder in the ledger's place is refused when the ledger is opened.
        if !isFolder(ledger), let folder = ledger.exposedFolder() {
            throw Session.refusal(of: folder, "ledger", .ledgerUnavailable)
        }
    }

    private func isFolder(_ file: DurableFile) -> Bool {
        (try? file.isFolder) ?? false
    }

    private static func refusal(
        of folder: ExposedFolder, _ what: String, _ kind: TapcardError.Kind
    ) -> TapcardError {
        let mode = String(folder.permissions, radix: 8)
        return TapcardError(
            kind,
            folder.isForeign
                ? "The folder \(folder.path) belongs to another user."
                : "Others may write to the folder \(folder.path) (mode \(mode)).",
            meaning: "Nothing was done: they could put another file in the place of the \(what).",
            // A folder such as /tmp is for all users, so its permissions must stay.
            advice: folder.isForeign || folder.isShared
                ? "Keep the \(what) in a folder of your own."
                : "If nobody has: chmod go-w \(folder.path)")
    }
}

extension SettingsFile {
    private static let othersMayWrite: UInt32 = 0o002

    /// Refuses a settings file that other users can change or replace. Its group may write to it,
    /// because editors leave that permission on systems with one group per user.
    static func requireUnexposed(_ path: String) throws(TapcardError) {
        let file = DurableFile(path)
        let reason: String
        var place = path
        let exposure = try? file.exposure(othersMayWrite)
        if case .permitted(let mode) = exposure {
            reason = "others may write to it (mode \(String(mode, radix: 8)))"
        } else if exposure == .foreign {
            throw TapcardError(
                .usage, "The settings in \(path) cannot be used: the file belongs to another user.",
                meaning: "Nothing was done: settings say which keys, ledger and services are used.",
                advice: "Run tapcard as that user (sudo -u NAME), or make the settings your own.")
        } else if let folder = file.exposedFolder(mayShare: true) {
            place = folder.path
            reason =
                folder.isForeign
                ? "the folder \(place) belongs to another user"
                : "others may write to the folder \(place) "
                    + "(mode \(String(folder.permissions, radix: 8)))"
        } else {
            return
        }
        throw TapcardError(
            .usage, "The settings in \(path) cannot be used: \(reason).",
            meaning: "Nothing was done: settings say which keys, ledger and services are used.",
            advice: "If nobody else has changed them: chmod o-w \(place)")
    }
}
