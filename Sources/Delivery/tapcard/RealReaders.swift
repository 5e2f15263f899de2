import BlockingLane
import Glibc
import LibNFCReader
import PCSCReader
import ReaderDiagnosis
import ReaderProcess
import Tags
import Verbs

/// Finds and opens physical readers, and closes them at the end.
enum RealReaders {
    /// The first argument of a child process that drives a reader.
    static let drivingArgument = "drive-reader"

    /// The open readers. If a reader is left open, the user may have to unplug it and plug it in
    /// again.
    private static let open = Guarded<[LibNFCReader]>([])

    /// Opens a reader for one tap. If the process dies, the next tap resolves the operation.
    static func openForTap(_ name: ReaderName?) async throws(ReaderError) -> any TagReader {
        AbortedDriver.reportUnknownOutcome()
        return try await open(name)
    }

    /// Opens the reader with this name or, by default, the first usable reader.
    private static func open(_ name: ReaderName?) async throws(ReaderError) -> any TagReader {
        // libnfc can drive only one reader, and the caller no longer uses the previous reader.
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

    /// A reader for long-term use. A child process, which starts at first use, drives it, so that a
    /// libnfc crash interrupts only one access to the reader. The other readers have their own child
    /// processes.
    static func persistent(_ name: ReaderName?, nextTo others: [ReaderName]) -> any TagReader {
        ReaderProcess(driving(name, nextTo: others), named: name?.text)
    }

    private static func driving(_ name: ReaderName?, nextTo others: [ReaderName]) -> [String] {
        // This link refers to the running program even if an update has replaced its file.
        ["/proc/self/exe", drivingArgument] + (name.map { [$0] + others } ?? []).map(\.text)
    }

    /// Runs in the child process that drives a reader. `words` are the reader's name, if one was
    /// given, followed by the names of the other tills' readers.
    static func drive(_ words: some Collection<String>) async {
        let names = words.compactMap { ReaderName($0) }
        // If a name is invalid, no reader is driven, because it might be the wrong one.
        guard names.count == words.count else { return }
        let (name, others) = (names.first, Array(names.dropFirst()))
        AbortedDriver.silence()
        nameProcess()
        let reader = PersistentReader(
            find: { () throws(ReaderError) in
                do throws(ReaderError) {
                    return try await open(name)
                } catch {
                    // A USB reader may have a different number after it is plugged in again.
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
        // The list is emptied under the lock, so that no reader is closed twice.
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

    /// Names the process "tapcard" instead of "exe", for users trying to find out which program is
    /// using a reader.
    private static func nameProcess() {
        let descriptor = unsafe Glibc.open("/proc/self/comm", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = unsafe write(descriptor, "tapcard", 7)
        close(descriptor)
    }

    private static func firstUsable() async throws(ReaderError) -> ReaderName {
        let survey = await MachineReaders.all.survey(naming: nil)
        if let name = survey.rows.first(where: \.isReady)?.name { return name }
        throw ReaderError(.noReader, survey.reasonForNone)
    }

    /// Waits until a device is connected or removed, or until the time limit expires.
    private static func waitForPlug(_ limit: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await event in PlugWatcher().events() {
                    if case .watching = event { continue }
                    return
                }
            }
            group.addTask {
                // If the sleep is canceled, the wait ends, too.
                try? await Task.sleep(for: limit)
            }
            await group.next()
            group.cancelAll()
        }
    }
}

extension ReaderSurvey {
    /// A short reason why no reader can be used; `tapcard doctor` reports the details.
    var reasonForNone: String {
        if let row = rows.first(where: { !$0.isUsable }) { return "\(row.make): \(row.state.text)" }
        if let name = rows.first?.name {
            return "only a serial port was found, and a reader there must be selected: \(name)"
        }
        return "no reader is connected"
    }
}
