import Glibc

/// The program under test and its companions, as they were built together with these tests.
package enum Executable {
    struct Missing: Error {
        let searched: [String]
    }

    /// Next to the bundle of the tests lies the executable of the same build: only there it is sure
    /// to be of the same configuration and up to date, because the build has made both. A runner
    /// that loads the bundle from elsewhere is helped by the usual folders below the package.
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
