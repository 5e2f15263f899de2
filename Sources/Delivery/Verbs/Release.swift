/// The version of this program.
package enum Release {
    package static let version = "0.1.0"
}

/// What the build recorded about the program's origin.
package struct Build: Sendable {
    /// The commit, with a note if the sources differed from it.
    private let commit: String?
    /// The day of the commit.
    package let date: String?
    private let toolchain: String?

    package init(commit: String? = nil, date: String? = nil, toolchain: String? = nil) {
        (self.commit, self.date, self.toolchain) = (commit, date, toolchain)
    }

    /// The text of `--version`. Programs read its first line.
    package var versionText: String {
        let day = date.map { " of \($0)" } ?? ""
        return """
            tapcard \(Release.version)
            Commit: \(commit.map { $0 + day } ?? "unknown")
            Toolchain: \(toolchain ?? "unknown")

            """
    }
}
