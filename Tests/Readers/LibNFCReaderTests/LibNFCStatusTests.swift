import LibNFCReader
import OperatingSystem
import Tags
import Testing

@Suite("Statuses of libnfc")
struct LibNFCStatusTests {
    @Test(
        "Each libnfc status becomes its kind of error and keeps its number",
        arguments: [
            (.inputOutput, .readerLost), (.invalidArgument, .readerLost),
            (.noSuchDevice, .readerLost), (.overflow, .readerLost), (.software, .readerLost),
            (.timeout, .timedOut), (.aborted, .cancelled), (.targetReleased, .tagLost),
            (.radio, .garbled), (.authenticationFailed, .garbled), (.chip, .garbled),
            (LibNFCStatus(rawValue: -19), .readerLost), (LibNFCStatus(rawValue: -71), .readerLost),
        ] as [(LibNFCStatus, ReaderError.Kind)])
    func errors(status: LibNFCStatus, kind: ReaderError.Kind) {
        let error = status.error("reading")
        #expect(error.kind == kind)
        #expect(error.detail.contains("libnfc \(status.rawValue)"))
    }

    /// After any other error, a late answer could be taken for that of a later command.
    @Test("Only errors about the tag leave the connection open")
    func endings() {
        let harmless: Set<Int32> = [-10, -20, -30, -90]
        for number: Int32 in -128..<0 {
            let status = LibNFCStatus(rawValue: number)
            #expect(status.endsConnection == !harmless.contains(number), "\(number)")
        }
    }

    @Test("The installed libnfc is found and is release 1.8")
    func version() throws {
        #expect(try LibNFCLibrary.load().version.hasPrefix("1.8"))
    }

    @Test("A missing libnfc is an error that says so and names the package")
    func missing() throws {
        let error = try #require(throws: ReaderError.self) {
            try LibNFCLibrary.load("libnfc-that-is-not-there.so.6")
        }
        #expect(error.kind == .noReader)
        #expect(error.detail.contains("libnfc is missing"))
        #expect(error.detail.contains("libnfc6"))
    }

    @Test("A library without libnfc's functions is an error that names the missing function")
    func otherLibrary() throws {
        let error = try #require(throws: ReaderError.self) { try LibNFCLibrary.load("libc.so.6") }
        #expect(error.kind == .noReader && error.detail.contains("nfc_version"))
    }

    @Test("A missing library is distinguished from an unusable one")
    func presence() throws {
        #expect(
            LibNFCReader.libraryPresence() == .usable(version: try LibNFCLibrary.load().version))
        #expect(LibNFCLibrary.presence("libnfc-that-is-not-there.so.6") == .missing)
        guard case .unusable(let why) = LibNFCLibrary.presence("libc.so.6") else {
            Issue.record("it is not libnfc")
            return
        }
        #expect(why.contains("nfc_version"))
    }

    @Test(
        "Other releases of libnfc are refused",
        arguments: ["1.7.1", "1.9.0", "2.0.0", "1.80", "", "1"])
    func otherVersion(version: String) throws {
        let error = try #require(throws: LibraryFault.self) { try LibNFCLibrary.check(version) }
        #expect(
            error
                == .unusable("libnfc version \(version) is installed, but version 1.8 is required"))
    }

    @Test("Patch releases of libnfc 1.8 are accepted", arguments: ["1.8", "1.8.0", "1.8.1"])
    func patches(version: String) throws {
        try LibNFCLibrary.check(version)
    }
}
