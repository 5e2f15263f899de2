import Foundation

/// Package.swift as SwiftPM reads it.
struct Manifest: Decodable {
    struct Target: Decodable {
        let name: String
        let path: String?
        private let dependencies: [[String: [String?]]]

        /// The targets that it may import.
        var imports: Set<String> {
            Set(dependencies.flatMap(\.values).compactMap { $0.first ?? nil })
        }
        /// The floor of a target of the product, from `Sources/<floor>/<target>`.
        var floor: String? {
            let parts = (path ?? "").split(separator: "/")
            return parts.first == "Sources" ? String(parts[1]) : nil
        }
    }

    struct Product: Decodable {
        let name: String
        let targets: [String]
    }

    let targets: [Target]
    let products: [Product]

    /// Read once, because that takes a fraction of a second.
    static let package: Manifest = {
        do {
            return try read()
        } catch {
            preconditionFailure("swift package dump-package: \(error)")
        }
    }()

    private static func read() throws -> Manifest {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        // A folder of its own: a build may hold the lock of the other one.
        let scratch = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        defer { try? FileManager.default.removeItem(at: scratch) }
        process.arguments = [
            "swift", "package", "--package-path", SourceTree.root.path, "--scratch-path",
            scratch.path, "dump-package",
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return try JSONDecoder().decode(Manifest.self, from: text)
    }

    func target(_ name: String) -> Target? { targets.first { $0.name == name } }

    func targets(ofProduct name: String) -> Set<String> {
        Set(products.first { $0.name == name }?.targets ?? [])
    }

    /// The targets that are built into the product, by name.
    var rooms: [Target] { targets.filter { $0.floor != nil } }
}
