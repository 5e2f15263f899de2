import Glibc
import TestSupport

/// The program under test, as it was built together with these tests.
enum Executable {
    struct Missing: Error {
        let searched: [String]
    }

    /// Next to the bundle of the tests lies the executable of the same build: only there it is sure
    /// to be of the same configuration and up to date, because this target depends on it. A runner
    /// that loads the bundle from elsewhere is helped by the usual folders below the package.
    static func path(of name: String = "tapcard") throws -> String {
        let bundle = CommandLine.arguments[0].split(
            separator: "/", omittingEmptySubsequences: false
        )
        .dropLast().joined(separator: "/")
        let folders = [bundle, Repository.path(".build/release"), Repository.path(".build/debug")]
        for folder in folders where unsafe access("\(folder)/\(name)", X_OK) == 0 {
            return "\(folder)/\(name)"
        }
        throw Missing(searched: folders)
    }
}
