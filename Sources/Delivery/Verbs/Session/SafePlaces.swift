import Ledger
import OperatingSystem
import TapcardCore

/// The folders of a station, in which other users must not write.
struct SafePlaces {
    private let settings: Settings

    init(_ settings: Settings) { self.settings = settings }

    /// Makes the data folder, where drivers keep their files as well.
    func makeDataFolder() throws(TapcardError) { try make(settings.dataFolder) }

    /// Makes the folder of the simulated tags.
    func makeDrawerFolder() throws(TapcardError) { try make(settings.simulatedFolder) }

    private func make(_ path: String) throws(TapcardError) {
        do {
            try DurableFile.makeFolder(path)
        } catch {
            throw TapcardError(
                .fileUnusable, "The folder for keys and ledger cannot be made: \(error.detail).",
                meaning: "Nothing was done.",
                advice: "Give yourself the right to write there, or set XDG_DATA_HOME.")
        }
        try requireDataFolder()
    }

    private static let othersMayWrite: UInt32 = 0o022

    /// Refuses a folder or a file that other users can write, because they could replace its
    /// content.
    static func requireUnwritable(
        _ path: String, _ what: String, _ kind: TapcardError.Kind
    ) throws(TapcardError) {
        // A file without readable permissions is refused when it is opened.
        guard let exposure = try? DurableFile(path).exposure(othersMayWrite) else { return }
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
    private func requireDataFolder() throws(TapcardError) {
        try SafePlaces.requireUnwritable(settings.dataFolder, "data folder", .fileUnusable)
        if let folder = DurableFile(settings.keyPath).exposedFolder() {
            throw SafePlaces.refusal(of: folder, "keys", .fileUnusable)
        }
    }

    /// Refuses folders in which other users could replace keys or ledger.
    func require() throws(TapcardError) {
        try requireDataFolder()
        guard case .file(let path) = try settings.ledgerPlace else { return }
        let ledger = DurableFile(path)
        // A folder in the ledger's place is refused when the ledger is opened.
        if (try? ledger.isFolder) != true, let folder = ledger.exposedFolder() {
            throw SafePlaces.refusal(of: folder, "ledger", .ledgerUnavailable)
        }
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
