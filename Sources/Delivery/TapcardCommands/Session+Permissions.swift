import DurableFile
import TapcardCore

extension Session {
    private static let othersMayWrite: UInt32 = 0o022

    /// Refuses a folder or a file that others may write: they could put another one in its place.
    func requireUnwritable(
        _ path: String, _ what: String, _ kind: TapcardError.Kind
    ) throws(TapcardError) {
        // What cannot be looked at is refused when it is opened.
        guard let mode = try? DurableFile(path).permissions(),
            mode & Session.othersMayWrite != 0
        else { return }
        throw TapcardError(
            kind, "Others may write to the \(what) \(path) (mode \(String(mode, radix: 8))).",
            meaning: "Nothing was done: whoever writes there can change what cards are worth.",
            advice: "If nobody has: chmod go-w \(path)")
    }
}
