import Glibc

/// Finds the program under test, and other files of the same build.
package enum Executable {
    struct Missing: Error {
        let searched: [String]
    }

    /// The file next to the test bundle comes from the same build, so it is up to date and has the
    /// same configuration. If the bundle is loaded from elsewhere, the package's build folders are
    /// searched.
    package static func path(of name: String = "tapcard") throws -> String {
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
