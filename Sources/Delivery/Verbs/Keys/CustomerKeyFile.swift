package import CardCryptography
import OperatingSystem
import StationFiles
package import TapcardCore
import TapcardDomain
import TextCodecs

/// The key file of a machine that serves the customer page. It is refused if anyone but its owner
/// can read it.
package struct CustomerKeyFile: Sendable {
    private static let mode: UInt32 = 0o600
    private static let accessByOthers: UInt32 = 0o077
    /// The maximum number of bytes to read. A mistyped path could lead to a file of any size.
    private static let maximumSize = 64 << 10

    package let path: String

    package init(path: String) { self.path = path }

    /// The contents of the file.
    package static func text(of keys: CustomerKeys) -> String { keys.json().prettyText }

    package func save(_ keys: CustomerKeys) throws(TapcardError) {
        try CustomerKeyFile.write(CustomerKeyFile.text(of: keys), to: path)
    }

    /// Writes keys for another machine to a file that only its owner can read.
    static func write(_ text: String, to path: String) throws(TapcardError) {
        try translating(DurableFile(path).write(Array(text.utf8), mode: CustomerKeyFile.mode)) {
            (error: FileError) in
            TapcardError.unwritten(
                "The file \(path)", error, meaning: "No key was written.",
                next: [.words("Choose another file.")])
        }
    }

    /// Loads the keys. The error for a file that is missing, open to others, or damaged contains
    /// `meaning`.
    package func load(orSay meaning: String) throws(TapcardError) -> CustomerKeys {
        func refusal(_ what: String, _ advice: String) -> TapcardError {
            TapcardError(.fileUnusable, what, meaning: meaning, advice: advice)
        }
        let howToCreate =
            "Create it on a server that has the issuer's keys: tapcard keys customers FILE"
        let file = DurableFile(path)
        func unreadable(_ error: FileError) -> TapcardError {
            refusal(
                "The key file \(path) of the customer page cannot be read: \(error.detail).",
                "Specify a file that you own and can read.")
        }
        let bytes = try translating(
            file.read(limit: CustomerKeyFile.maximumSize), into: unreadable)
        guard let bytes else {
            throw refusal(
                "The key file \(path) of the customer page does not exist.", howToCreate)
        }
        let exposure = try translating(
            file.exposure(CustomerKeyFile.accessByOthers), into: unreadable)
        switch exposure {
        case .permitted(let mode):
            throw refusal(
                "The key file \(path) of the customer page can be read by other users (mode "
                    + "\(String(mode, radix: 8))).",
                "If you are sure that no other user has read it, run: chmod 600 \(path)")
        case .foreign:
            throw refusal(
                "The key file \(path) of the customer page belongs to another user.",
                "Specify a file that you own and can read.")
        case nil: break
        }
        return try translating(CustomerKeys(parsing: bytes)) { (error: KeyError) in
            refusal(
                "The key file \(path) of the customer page is damaged: \(error.detail).",
                howToCreate)
        }
    }
}
