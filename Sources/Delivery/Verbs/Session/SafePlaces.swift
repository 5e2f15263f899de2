import Ledger
import OperatingSystem
import TapcardCore
import TapcardDomain

/// The station's folders, which other users must not be able to write to.
struct SafePlaces {
    private let settings: Settings

    init(_ settings: Settings) { self.settings = settings }

    /// Creates the data folder, where drivers also store files.
    func makeDataFolder() throws(TapcardError) { try make(settings.dataFolder) }

    /// Creates the folder for the simulated tags.
    func makeDrawerFolder() throws(TapcardError) { try make(settings.simulatedFolder) }

    private func make(_ path: String) throws(TapcardError) {
        try translating(DurableFile.makeFolder(path)) { (error: FileError) in
            TapcardError(
                .fileUnusable, "The data folder cannot be created: \(error.detail).",
                meaning: "Nothing was done.",
                advice: "Get permission to write there, or set XDG_DATA_HOME to another folder.")
        }
        // The folder may already have existed, and other users may be able to write to it.
        try requireDataFolder()
    }

    /// The permission bits for writing by the group or by others.
    private static let writeByOthersMask: UInt32 = 0o022

    /// Refuses a folder or a file that other users can write to, because they could replace its
    /// contents.
    static func requireUnwritable(
        _ path: String, _ what: String, _ kind: TapcardError.Kind
    ) throws(TapcardError) {
        // If the permissions cannot be read, the file is refused later, when it is opened.
        guard let exposure = try? DurableFile(path).exposure(writeByOthersMask) else { return }
        let (words, advice) =
            switch exposure {
            case .foreign:
                (
                    "Another user owns the \(what) at \(path).",
                    "Run tapcard as the owner, with sudo -u NAME, or keep the \(what) in a folder "
                        + "of your own."
                )
            case .permitted(let mode):
                (
                    "Other users can write to the \(what) at \(path) (mode "
                        + "\(String(mode, radix: 8))).",
                    "If you are sure that nobody has altered anything, run: chmod go-w \(path)"
                )
            }
        throw TapcardError(
            kind, words,
            meaning: "Nothing was done, because anyone who can write there could change balances.",
            advice: advice)
    }

    /// Refuses a data folder if other users could replace the keys in it.
    private func requireDataFolder() throws(TapcardError) {
        try SafePlaces.requireUnwritable(settings.dataFolder, "data folder", .fileUnusable)
        if let folder = DurableFile(settings.keyPath).exposedFolder() {
            throw SafePlaces.refusal(of: folder, "keys", .fileUnusable)
        }
    }

    /// Refuses folders if other users could replace the keys or the ledger in them.
    func require() throws(TapcardError) {
        try requireDataFolder()
        guard case .file(let path) = try settings.ledgerPlace else { return }
        let ledger = DurableFile(path)
        // If the ledger's path is a folder, it is refused when the ledger is opened.
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
                ? "Another user owns the folder \(folder.path), which contains the \(what)."
                : "Other users can write to the folder \(folder.path) (mode \(mode)), which "
                    + "contains the \(what).",
            meaning: "Nothing was done, because anyone who can write there could swap the file.",
            // A folder such as /tmp is for all users, so the advice must not be to change its
            // permissions.
            advice: folder.isForeign || folder.isShared
                ? "Keep the \(what) in a folder of your own."
                : "If you are sure that nobody has altered anything, run: chmod go-w \(folder.path)"
        )
    }
}

extension SettingsFile {
    /// The permission bit for writing by others.
    private static let writeByOthersMask: UInt32 = 0o002

    /// Refuses a settings file that other users can change or replace. Its group is allowed to
    /// write to it, because editors leave that permission on systems where each user has a private
    /// group.
    static func requireUnexposed(_ path: String) throws(TapcardError) {
        let file = DurableFile(path)
        let reason: String
        var place = path
        let exposure = try? file.exposure(writeByOthersMask)
        if case .permitted(let mode) = exposure {
            reason = "other users can write to it (mode \(String(mode, radix: 8)))"
        } else if exposure == .foreign {
            throw TapcardError(
                .usage, "The settings file \(path) is not used: another user owns it.",
                meaning:
                    "Nothing was done, because settings decide which keys, ledger, and services "
                    + "tapcard uses.",
                advice: "Run tapcard as the owner of the file, or use a settings file of your own.")
        } else if let folder = file.exposedFolder(allowsGroup: true) {
            place = folder.path
            reason =
                folder.isForeign
                ? "another user owns the folder \(place), which contains it"
                : "other users can write to the folder \(place) (mode "
                    + "\(String(folder.permissions, radix: 8))), which contains it"
        } else {
            return
        }
        throw TapcardError(
            .usage, "The settings file \(path) is not used: \(reason).",
            meaning:
                "Nothing was done, because settings decide which keys, ledger, and services "
                + "tapcard uses.",
            advice: "If you are sure that nobody else has changed it, run: chmod o-w \(place)")
    }
}
