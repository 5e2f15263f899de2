import OperatingSystem
import Testing

@Suite("Libraries loaded at run time")
struct LoadableLibraryTests {
    private static let library = LoadableLibrary(name: "libplayed", package: "libplayed1")

    /// Loads a library whose table is a number: binding sets it to 7 or reports a missing function.
    private func load(
        _ file: String, lacking function: StaticString? = nil
    ) throws(LibraryFault) -> Int {
        try unsafe Self.library.load(file, 0) { _, table in
            unsafe table.pointee = 7
            guard let function else { return nil }
            let start = unsafe UnsafeRawPointer(function.utf8Start)
            return unsafe start.assumingMemoryBound(to: CChar.self)
        }
    }

    @Test("A missing library is named with its package and the reason")
    func missing() throws {
        let fault = try #require(throws: LibraryFault.self) { try load("libplayed.so.1") }
        guard case .missing(let why) = fault else {
            Issue.record("\(fault)")
            return
        }
        #expect(why == fault.reason)
        #expect(why.hasPrefix("libplayed is missing (Debian: libplayed1): libplayed.so.1: "))
    }

    @Test("A library without a needed function is reported as another version")
    func unusable() throws {
        let fault = try #require(throws: LibraryFault.self) {
            try load("libc.so.6", lacking: "play_it")
        }
        #expect(
            fault
                == .unusable(
                    "libc.so.6 is an incompatible version of libplayed; "
                        + "the function play_it is missing"))
    }

    @Test("A missing library that is required ends the process and is named")
    func needed() async throws {
        let end = await #expect(
            processExitsWith: .exitCode(127), observing: [\.standardErrorContent]
        ) {
            let library = LoadableLibrary(name: "libplayed", package: "libplayed1")
            _ = unsafe library.loadOrExit("libplayed.so.1", 0) { _, _ in nil }
        }
        let words = String(decoding: end?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("tapcard: libplayed is missing (Debian: libplayed1)"))
    }

    @Test("Loading a library returns the bound table")
    func bound() throws {
        #expect(try load("libc.so.6") == 7)
    }
}
