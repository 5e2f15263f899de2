import BlockingLane
import Glibc
import LibNFCReader
import PCSCReader
import ReaderDiagnosis
import ReaderProcess
import Tags
import Verbs

/// Physical readers: found, opened, and closed at the end.
enum RealReaders {
    /// The first word on the command line of a reader's own process.
    static let drivingWord = "drive-reader"

    /// The open readers. A reader that is left open may have to be reconnected by hand.
    private static let open = Guarded<[LibNFCReader]>([])

    /// Opens a reader for one tap. If the process dies, the next tap resolves the operation.
    static func openForTap(_ name: ReaderName?) async throws(ReaderError) -> any TagReader {
        AbortedDriver.reportUnknownOutcome()
        return try await open(name)
    }

    /// Opens the reader with this name, by default the first usable one.
    private static func open(_ name: ReaderName?) async throws(ReaderError) -> any TagReader {
        // libnfc drives only one reader, and the caller no longer uses the previous one.
        await closeAll()
        let name = if let name { name } else { try await firstUsable() }
        switch name {
        case .simulated:
            throw ReaderError(.noReader, "\(name) is a simulated reader, but a real one is needed")
        case .smartCard(let part): return try await PCSCReader.open(part)
        case .libnfc:
            let reader = try await LibNFCReader.open(name.text)
            open.withLock { $0.append(reader) }
            return reader
        }
    }

    /// Opens a reader for long-term use, driven by a child process, so that a crash of libnfc
    /// interrupts only one look at the reader.
    static func openLasting(_ name: ReaderName?) async throws(ReaderError) -> any TagReader {
        try await ReaderProcess.start(driving(name))
    }

    /// A reader for long-term use, driven by a child process that starts at first use. The others
    /// are driven by their own processes.
    static func lasting(_ name: ReaderName?, nextTo others: [ReaderName]) -> any TagReader {
        ReaderProcess(driving(name, nextTo: others))
    }

    private static func driving(
        _ name: ReaderName?, nextTo others: [ReaderName] = []
    ) -> [String] {
        // This link leads to the running program even if an update has replaced its file.
        ["/proc/self/exe", drivingWord] + (name.map { [$0] + others } ?? []).map(\.text)
    }

    /// Runs the child process that `openLasting` starts. `words` are the reader's name, if one was
    /// given, and the names of the other tills' readers.
    static func drive(_ words: some Collection<String>) async {
        let names = words.compactMap { ReaderName($0) }
        // If a reader's name cannot be read, no other reader is driven in its place.
        guard names.count == words.count else { return }
        let (name, others) = (names.first, Array(names.dropFirst()))
        AbortedDriver.isSilent()
        nameProcess()
        let reader = LastingReader(
            find: { () throws(ReaderError) in
                do throws(ReaderError) {
                    return try await open(name)
                } catch {
                    // A USB reader that was plugged in again may have a different number.
                    guard error.kind == .noReader,
                        let name = await successor(of: name, nextTo: others)
                    else { throw error }
                    return try await open(name)
                }
            }, waitForChange: waitForPlug)
        await ReaderService.run(reader)
        await closeAll()
    }

    static func closeAll() async {
        // Taken out of the list under the lock, so that no reader is closed twice.
        let readers = open.withLock { readers in
            defer { readers = [] }
            return readers
        }
        for reader in readers { await reader.close() }
    }

    private static func successor(
        of name: ReaderName?, nextTo others: [ReaderName]
    ) async -> ReaderName? {
        guard let name else { return nil }
        return await MachineReaders.all.survey(naming: nil).rows
            .successor(of: name, nextTo: others)
    }

    /// Names the process "tapcard" instead of "exe", for people trying to find out what is using a
    /// reader.
    private static func nameProcess() {
        let descriptor = unsafe Glibc.open("/proc/self/comm", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = unsafe write(descriptor, "tapcard", 7)
        close(descriptor)
    }

    private static func firstUsable() async throws(ReaderError) -> ReaderName {
        let survey = await MachineReaders.all.survey(naming: nil)
        if let name = survey.rows.first(where: \.isReady)?.name { return name }
        throw ReaderError(.noReader, survey.whyNone)
    }

    /// Waits until a device is connected or removed, or the time limit is over.
    private static func waitForPlug(_ limit: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await event in PlugWatcher().events() {
                    if case .watching = event { continue }
                    return
                }
            }
            group.addTask {
                // A canceled sleep ends the wait as well.
                try? await Task.sleep(for: limit)
            }
            await group.next()
            group.cancelAll()
        }
    }
}

extension ReaderSurvey {
    /// A short reason; `tapcard doctor` reports the details.
    var whyNone: String {
        if let row = rows.first(where: { !$0.isUsable }) { return "\(row.make): \(row.state.text)" }
        if let name = rows.first?.name {
            return "only a serial port was found, and a reader there must be selected: \(name)"
        }
        return "no reader is connected"
    }
}
