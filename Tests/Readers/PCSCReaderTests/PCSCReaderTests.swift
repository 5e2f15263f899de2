import Glibc
import PCSCReader
import PlayedPCSCReaders
import Tags
import Testing

/// All tests that use the one pcscd, serialized.
@Suite("Readers behind pcscd", .serialized, .playedPCSCD)
enum PCSCReaderTests {}

/// Three simulated readers on a real pcscd, which runs as long as the suite.
struct PlayedReaders {
    static let acr122 = PlayedSlot(
        "ACS ACR122U PICC Interface", port: 35_960, PlayedACR122U())
    static let acr1252 = PlayedSlot(
        "ACS ACR1252 Dual Reader", port: 35_970, PlayedACR1252U())
    static let plain = PlayedSlot("Plain Contactless Reader", port: 35_980, PlayedStorageReader())
    static let slots = [acr122, acr1252, plain]

    // Used by one test at a time: the suite is serialized.
    private nonisolated(unsafe) static var running: PlayedPCSCD?
    // The same.
    private nonisolated(unsafe) static var folder = ""
    // The same: whether all of them are on the one that runs.
    private nonisolated(unsafe) static var isComplete = false

    /// Resets every reader and restarts pcscd, which then remembers no earlier card.
    static func clear() async throws {
        stop()
        for kind in Kind.allCases { kind.slot.become(kind.reader) }
        try await start()
    }

    /// Resets every reader and puts an empty NTAG213 on each. A new pcscd takes 0.4 s to find them,
    /// so the running one is kept unless one of its cards has left since it found them.
    static func lay() async throws {
        let tag = try #require(TagMemory.blank(.ntag213, uid: Kind.uid))
        let isWhole = unsafe (running != nil && isComplete)
        if isWhole, Kind.allCases.allSatisfy({ $0.slot.become($0.reader, under: tag) }) { return }
        try await clear()
        for kind in Kind.allCases { kind.slot.change { $0.lay(tag) } }
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
        unsafe isComplete = slots.count == PlayedReaders.slots.count
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
        try await PlayedReaders.start()
        do {
            try await function()
        } catch {
            PlayedReaders.tearDown()
            throw error
        }
        PlayedReaders.tearDown()
    }
}

/// Resets every reader before each test.
struct PlayedReadersTrait: TestTrait, SuiteTrait, TestScoping {
    let isRecursive = true
    let hasTags: Bool

    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        if hasTags { try await PlayedReaders.lay() } else { try await PlayedReaders.clear() }
        try await function()
    }
}

extension Trait where Self == PlayedReadersTrait {
    /// An empty NTAG213 is on each reader.
    static var readersWithTags: Self { Self(hasTags: true) }
    static var emptyReaders: Self { Self(hasTags: false) }
}

extension Trait where Self == PlayedPCSCDTrait {
    /// Starts pcscd before the suite and removes it afterwards.
    static var playedPCSCD: Self { Self() }
}
