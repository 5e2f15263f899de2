import Foundation
import Testing

/// tapcard is the same on every processor. Processors are named only where another one is built for
/// or emulated, and where names of libraries contain them.
@Suite("Names of processors")
struct ProcessorTests {
    private static let places: [String: Set<String>] = [
        "Makefile": ["arm64"],
        "packaging/arm64": ["aarch64", "arm64"],
        "packaging/check-packages": ["arm64"],
        "packaging/release": ["arm64"],
        "packaging/emulated": ["aarch64", "arm64"],
        "packaging/keyboard-check": ["amd64", "x86_64"],
        "packaging/install-dependencies": ["arm64"],
        // The dynamic linker of each processor has a name of its own.
        "packaging/sbom": ["aarch64", "x86-64"],
        "packaging/package-build": ["arm64"],
    ]

    /// Files that are built or run, without this one, which names what it looks for.
    private static func files() throws -> [String] {
        let folders = ["Sources", "Tests", "Benchmarks", "Fuzz", "Examples", "packaging", "udev"]
        return try (folders.flatMap(SourceTree.paths) + ["Package.swift", "Makefile", ".ci/run"])
            .filter { !$0.contains("/.build/") && !$0.hasSuffix("ProcessorTests.swift") }
    }

    /// The names of processors, as compilers, kernels and distributions spell them.
    private static let names =
        "x86[-_]64|amd64|i[3-6]86|aarch64|arm64|armhf|armv[5-9]|riscv64|\\barch\\("

    /// The names found in files, or in `text` if there are none. grep takes a moment, Swift's Regex
    /// 15 seconds.
    private static func found(
        in files: [String], text: String = ""
    ) throws -> [String: Set<String>] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.currentDirectoryURL = SourceTree.root
        process.arguments = ["grep", "-HosiIE", names, "--"] + files
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try input.fileHandleForWriting.close()
        let lines = String(
            decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return lines.split(separator: "\n").reduce(into: [:]) { found, line in
            let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
            found[parts[0], default: []].insert(parts[1].lowercased())
        }
    }

    @Test("Processors are named only in the listed files")
    func places() throws {
        let found = try Self.found(in: try Self.files())
        #expect(found == Self.places)
    }

    @Test(
        "A processor's name is found in any spelling",
        arguments: [
            ("/usr/lib/x86_64-linux-gnu/libnfc.so", "x86_64"), ("Architecture: amd64", "amd64"),
            ("#if arch(x86_64)", "arch("), ("#ifdef __aarch64__", "aarch64"), ("ARM64", "arm64"),
        ])
    func spelling(_ text: String, _ name: String) throws {
        #expect(try Self.found(in: [], text: text).values.first?.contains(name) == true)
    }
}
