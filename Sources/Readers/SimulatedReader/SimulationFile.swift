import DurableFile
public import SimulatedField
public import TagReading

/// A simulation in a text file, which several commands may use at once: one uses the reader,
/// another puts tags on it and removes them.
public struct SimulationFile: Sendable {
    private static let mode: UInt32 = 0o600

    public let path: String

    public init(path: String) { self.path = path }

    /// Changes the simulation while no other command does. A missing file starts with one blank tag
    /// on the reader.
    public func change<Success>(
        _ body: (inout Simulation) throws(ReaderError) -> Success
    ) throws(ReaderError) -> Success {
        func unlocked(_ error: FileError) -> ReaderError { ReaderError(.noReader, error.detail) }
        return try FileLock.holding(path + ".lock", orThrow: unlocked) { () throws(ReaderError) in
            try changeAlone(body)
        }
    }

    private func changeAlone<Success>(
        _ body: (inout Simulation) throws(ReaderError) -> Success
    ) throws(ReaderError) -> Success {
        let file = DurableFile(path)
        let before: Simulation?
        do {
            before = try file.read().map { bytes throws(ReaderError) in
                try Simulation(parsing: String(decoding: bytes, as: UTF8.self))
            }
        } catch let error as ReaderError {
            throw ReaderError(error.kind, "\(path): \(error.detail)")
        } catch {
            throw ReaderError(.noReader, "\(error)")
        }
        var simulation = before ?? .fresh
        let success = try body(&simulation)
        if simulation != before {
            do {
                // Not durable: a tag that loses data on a power cut is a torn tag.
                try file.write(
                    Array(simulation.text.utf8), mode: SimulationFile.mode, durable: false)
            } catch {
                throw ReaderError(.readerLost, error.detail)
            }
        }
        return success
    }

    /// Claims the reader, so that other commands cannot use it; they may still put and remove tags.
    func claim() throws(ReaderError) -> FileLock {
        let name = path + ".reader"
        do {
            if let lock = try FileLock.acquire(name, waiting: false) { return lock }
        } catch {
            throw ReaderError(.noReader, error.detail)
        }
        let holder = FileLock.holder(of: name).map { " (process \($0))" } ?? ""
        throw ReaderError(.busy, "another tapcard\(holder) works with \(path)")
    }
}
