import BlockingLane
import Glibc
import LibNFCReader
import PCSCReader
import ReaderDiagnosis
import ReaderProcess
import TagReading
import USBReaderDiscovery
import Verbs

/// The readers that are things: found, opened, and closed at the end.
enum RealReaders {
    /// The first word of the command line with which this program drives a reader for itself.
    static let drivingWord = "drive-reader"

    private static let smartCardPrefix = "pcsc:"
    /// What has to be closed: a reader that is left open may have to be plugged in again.
    private static let open = Guarded<[LibNFCReader]>([])

    /// Opens a reader for one tap. Whatever ends it, the next tap settles it.
    static func openForTap(_ name: String?) async throws(ReaderError) -> any TagReader {
        AbortedDriver.isUnknownOutcome()
        return try await open(name)
    }

    /// Opens the reader with this name; without one the first that can be used.
    private static func open(_ name: String?) async throws(ReaderError) -> any TagReader {
        // One at a time: libnfc drives no second one, and who asks for one has given up the first.
        await closeAll()
        let name = if let name { name } else { try await firstUsable() }
        if name.hasPrefix(smartCardPrefix) {
            return try await PCSCReader.open(String(name.dropFirst(smartCardPrefix.count)))
        }
        let reader = try await LibNFCReader.open(name)
        open.withLock { $0.append(reader) }
        return reader
    }

    /// A reader for the whole day, in a process of its own: this program once more.
    static func openLasting(_ name: String?) async throws(ReaderError) -> any TagReader {
        try await ReaderProcess.start(driving(name))
    }

    /// The same; it is sought when it is first used.
    static func lasting(_ name: String?) -> any TagReader { ReaderProcess(driving(name)) }

    private static func driving(_ name: String?) -> [String] {
        ["/proc/self/exe", drivingWord] + (name.map { [$0] } ?? [])
    }

    /// What the process does that `openLasting` starts.
    static func drive(_ name: String?) async {
        AbortedDriver.isSilent()
        nameProcess()
        let reader = LastingReader(
            find: { () throws(ReaderError) in
                do throws(ReaderError) {
                    return try await open(name)
                } catch {
                    guard error.kind == .noReader, let name = await successor(of: name) else {
                        throw error
                    }
                    return try await open(name)
                }
            }, waitForChange: waitForPlug)
        await ReaderService.run(reader)
        await closeAll()
    }

    static func closeAll() async {
        let readers = open.withLock { readers in
            defer { readers = [] }
            return readers
        }
        for reader in readers { await reader.close() }
    }

    /// A reader on USB has another number when it is plugged in again: the only one of its kind is
    /// taken to be it.
    private static func successor(of name: String?) async -> String? {
        guard let name, let colon = name.firstIndex(of: ":") else { return nil }
        let rows = await MachineReaders.all.survey(naming: nil).rows
        guard !rows.contains(where: { $0.name == name }) else { return nil }
        let kind = name[...colon]
        let others = rows.filter { $0.isReady && $0.name?.hasPrefix(kind) == true }
        return others.count == 1 && kind != smartCardPrefix ? others[0].name : nil
    }

    /// Whoever looks for what holds a reader finds "tapcard", and not the link that was started.
    private static func nameProcess() {
        let descriptor = unsafe Glibc.open("/proc/self/comm", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = unsafe write(descriptor, "tapcard", 7)
        close(descriptor)
    }

    private static func firstUsable() async throws(ReaderError) -> String {
        let survey = await MachineReaders.all.survey(naming: nil)
        if let name = survey.rows.first(where: \.isReady)?.name { return name }
        throw ReaderError(.noReader, survey.whyNone)
    }

    /// Returns when something was plugged in or unplugged, or the time is over.
    private static func waitForPlug(_ limit: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await event in PlugWatcher().events() {
                    if case .watching = event { continue }
                    return
                }
            }
            group.addTask {
                // A wait that is broken off is over.
                try? await Task.sleep(for: limit)
            }
            await group.next()
            group.cancelAll()
        }
    }
}

extension ReaderSurvey {
    /// In a few words; `tapcard doctor` has all of them.
    var whyNone: String {
        if let row = rows.first(where: { !$0.isUsable }) { return "\(row.make): \(row.state.text)" }
        if let name = rows.first?.name { return "a serial port has to be named: \(name)" }
        return "none is plugged in"
    }
}
