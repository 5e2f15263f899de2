/// The repository in which the tests run.
package enum Repository {
    package static let root =
        "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")

    /// The path of a file or folder, given its path from the root.
    package static func path(_ name: String) -> String { "\(root)/\(name)" }
}
