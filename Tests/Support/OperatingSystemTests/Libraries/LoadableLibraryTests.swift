import OperatingSystem
import Testing

@Suite("Libraries that are loaded while the program runs")
struct LoadableLibraryTests {
    private static let library = LoadableLibrary(name: "libplayed", package: "libplayed1")

    /// A table is a number here; binding makes it 7, or finds that a function is not there.
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

    @Test("one that is not there is named, with its package and the reason")
    func missing() throws {
        let fault = try #require(throws: LibraryFault.self) { try load("libplayed.so.1") }
        guard case .missing(let why) = fault else {
            Issue.record("\(fault)")
            return
        }
        #expect(why == fault.why)
        #expect(why.hasPrefix("libplayed is missing (Debian: libplayed1): libplayed.so.1: "))
    }

    @Test("one without a function is another version")
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

    @Test("one that the program cannot do without is named when the process ends")
    func needed() async throws {
        let end = await #expect(
            processExitsWith: .exitCode(127), observing: [\.standardErrorContent]
        ) {
            let library = LoadableLibrary(name: "libplayed", package: "libplayed1")
            _ = unsafe library.loadOrEnd("libplayed.so.1", 0) { _, _ in nil }
        }
        let words = String(decoding: end?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("tapcard: libplayed is missing (Debian: libplayed1)"))
    }

    @Test("the table is what was bound")
    func bound() throws {
        #expect(try load("libc.so.6") == 7)
    }
}
