import Glibc
import PCSCReader
import PlayedPCSCReaders
import Testing

/// Everything that talks to the one played pcscd, one test after the other.
@Suite("A reader behind pcscd", .serialized, .playedPCSCD)
enum PCSCReaderTests {}

/// Three readers on a real pcscd, kept up for as long as the suite runs.
struct Stage {
    static let acr122 = PlayedSlot(
        "ACS ACR122U PICC Interface", port: 35_960, PlayedACR122U())
    static let acr1252 = PlayedSlot(
        "ACS ACR1252 Dual Reader", port: 35_970, PlayedACR1252U())
    static let plain = PlayedSlot("Plain Contactless Reader", port: 35_980, PlayedStorageReader())
    static let slots = [acr122, acr1252, plain]

    // Used by one test at a time: the suite is serialised.
    private nonisolated(unsafe) static var running: PlayedPCSCD?
    // The same.
    private nonisolated(unsafe) static var folder = ""

    /// Every reader anew, with nothing on it.
    static func reset() {
        acr122.become(PlayedACR122U())
        acr1252.become(PlayedACR1252U())
        plain.become(PlayedStorageReader())
    }

    static func start(_ slots: [PlayedSlot] = slots) async throws {
        if unsafe folder.isEmpty {
            var template = Array("/tmp/tapcard-pcsc-XXXXXX".utf8CString)
            guard unsafe mkdtemp(&template) != nil else { throw Failure.folder }
            unsafe folder = String(
                decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            // libpcsclite looks at it once, at its first call.
            unsafe setenv("PCSCLITE_CSOCK_NAME", PlayedPCSCD.socket(in: folder), 1)
        }
        unsafe running = try unsafe PlayedPCSCD(slots, in: folder)
    }

    static func stop() {
        unsafe running?.stop()
        unsafe running = nil
    }

    static func tearDown() {
        stop()
        unsafe PlayedPCSCD.remove(folder, of: slots)
    }

    enum Failure: Error { case folder }
}

struct PlayedPCSCDTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await Stage.start()
        do {
            try await function()
        } catch {
            Stage.tearDown()
            throw error
        }
        Stage.tearDown()
    }
}

/// Every reader anew before each test, with nothing on it.
struct StageTrait: TestTrait, SuiteTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // A card of an earlier test that left unnoticed would still be there to pcscd.
        Stage.stop()
        Stage.reset()
        try await Stage.start()
        try await function()
    }
}

extension Trait where Self == StageTrait {
    static var stage: Self { Self() }
}

extension Trait where Self == PlayedPCSCDTrait {
    /// The played pcscd, started before the suite and gone after it.
    static var playedPCSCD: Self { Self() }
}
