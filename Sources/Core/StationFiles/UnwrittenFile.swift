package import OperatingSystem
package import TapcardCore

extension TapcardError {
    /// The error for a file that could not be written. `meaning` and `next` apply if the file is
    /// unchanged. If it already has its new content, the error says that instead.
    package static func unwritten(
        _ name: String, _ error: FileError, kind: Kind = .fileUnusable, meaning: String,
        next: [NextStep] = []
    ) -> TapcardError {
        guard error.isReplaced else {
            return TapcardError(
                kind, "\(name) could not be written: \(error.detail).", meaning: meaning, next: next
            )
        }
        return TapcardError(
            kind, "\(name) was written, but the disk failed (\(error.detail)).",
            meaning: "The change is in place, but a power failure could undo it.",
            next: [.file(.checkFile)])
    }
}
