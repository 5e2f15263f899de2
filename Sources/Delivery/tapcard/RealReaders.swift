import BlockingLane
import LibNFCReader
import PCSCReader
import ReaderDiagnosis
import ReaderProcess
import TagReading
import TapcardCommands
import USBReaderDiscovery

/// The readers that are things: found, opened, and closed at the end.
enum RealReaders {
    /// The first word of the command line with which this program drives a reader for itself.
    static let drivingWord = "drive-reader"

    private static let smartCardPrefix = "pcsc:"
    /// What has to be closed: a reader that is left open may have to be plugged in again.
    private static let open = Guarded<[LibNFCReader]>([])

    /// Opens the reader with this name; without one the first that can be used.
    static func open(_ name: String?) async throws(ReaderError) -> any TagReader {
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
        try await ReaderProcess.start(
            ["/proc/self/exe", drivingWord] + (name.map { [$0] } ?? []))
    }

    /// What the process does that `openLasting` starts.
    static func drive(_ name: String?) async {
        let reader = LastingReader(
            find: { () throws(ReaderError) in try await open(name) },
            waitForChange: waitForPlug)
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
