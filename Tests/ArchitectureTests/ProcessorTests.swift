import Foundation
import Testing

/// tapcard is the same on every processor. Names of processors stand only where another one than
/// the machine's own is built for or emulated, and where libraries are called by such names.
@Suite("No assumption about the processor")
struct ProcessorTests {
    private static let places: [String: Set<String>] = [
        "Makefile": ["arm64"],
        "packaging/arm64": ["aarch64", "arm64"],
        "packaging/check-packages": ["arm64"],
        "packaging/release": ["arm64"],
        "packaging/emulated": ["aarch64", "arm64"],
        "packaging/install-dependencies": ["arm64"],
        // The dynamic linker of each processor has a name of its own.
        "packaging/sbom": ["aarch64", "x86-64"],
        "packaging/package-build": ["arm64"],
    ]

    /// Files that are built or run; this one names what it looks for.
    private static func files() throws -> [String] {
        let folders = ["Sources", "Tests", "Benchmarks", "Fuzz", "Examples", "packaging", "udev"]
        return try (folders.flatMap(SourceTree.paths) + ["Package.swift", "Makefile", ".ci/run"])
            .filter { !$0.contains("/.build/") && !$0.hasSuffix("ProcessorTests.swift") }
    }

    /// The names of processors in a text, as compilers, kernels and distributions spell them.
    static func names(in text: String) -> Set<String> {
        let pattern = /(?:x86[-_]64|amd64|i[3-6]86|aarch64|arm64|armhf|armv[5-9]|riscv64|\barch\()/
            .ignoresCase()
        return Set(text.matches(of: pattern).map { $0.output.lowercased() })
    }

    @Test("is written anywhere but in these places")
    func places() throws {
        var found: [String: Set<String>] = [:]
        for path in try Self.files() {
            guard let text = try? SourceTree.text(path) else { continue }
            let names = Self.names(in: text)
            if !names.isEmpty { found[path] = names }
        }
        #expect(found == Self.places)
    }

    @Test(
        "is missed",
        arguments: [
            ("/usr/lib/x86_64-linux-gnu/libnfc.so", "x86_64"), ("Architecture: amd64", "amd64"),
            ("#if arch(x86_64)", "arch("), ("#ifdef __aarch64__", "aarch64"), ("ARM64", "arm64"),
        ])
    func spelling(_ text: String, _ name: String) {
        #expect(Self.names(in: text).contains(name))
    }
}
