import OperatingSystem
public import Tags
import TapcardDomain

/// A simulation in a text file. Several commands may use it at the same time: one uses the reader
/// while others put tags on it and remove them.
public struct SimulationFile: Sendable {
    private static let mode: UInt32 = 0o600

    /// The path of the file.
    public let path: String

    /// Creates a value for the file at this path, without reading the file.
    public init(path: String) { self.path = path }

    /// Changes the simulation while no other command can change it. If the file is missing, the
    /// simulation starts with one blank tag on the reader.
    public func change<Success>(
        _ body: (inout Simulation) throws(ReaderError) -> Success
    ) throws(ReaderError) -> Success {
        try FileLock.holding(path + ".lock", orThrow: unusable) { () throws(ReaderError) in
            try changeUnderLock(body)
        }
    }

    /// The simulation; `nil` if there is no file yet.
    public func read() throws(ReaderError) -> Simulation? {
        guard let bytes = try translating(DurableFile(path).read(), into: unusable) else {
            return nil
        }
        return try translating(Simulation(parsing: String(decoding: bytes, as: UTF8.self))) {
            (error: ReaderError) in
            ReaderError(error.kind, "\(path): \(error.detail)")
        }
    }

    private func unusable(_ error: FileError) -> ReaderError {
        ReaderError(.noReader, error.detail)
    }

    /// If this simulation was never used and another file contains the same tag, replaces the tag
    /// with a different one.
    public func requireOwnTag(
        nextTo files: [String], random: (Int) -> [UInt8]
    ) throws(ReaderError) {
        var elsewhere: Set<[UInt8]> = []
        for path in files {
            let tags = try SimulationFile(path: path).read()?.tags ?? []
            elsewhere.formUnion(tags.map(\.uid))
        }
        try change { world in
            // A used tag may be a card, so it is never replaced.
            guard world == .fresh, world.tags.contains(where: { elsewhere.contains($0.uid) })
            else { return }
            var own = Simulation()
            if let tag = own.addTag(.ntag213, elsewhere: elsewhere, random: random) {
                own.put([tag.uid])
            }
            world = own
        }
    }

    private func changeUnderLock<Success>(
        _ body: (inout Simulation) throws(ReaderError) -> Success
    ) throws(ReaderError) -> Success {
        let file = DurableFile(path)
        let before = try read()
        var simulation = before ?? .fresh
        let success = try body(&simulation)
        if simulation != before {
            // The write is not durable: losing it in a power failure is like removing the tag too
            // early.
            try translating(
                file.write(Array(simulation.text.utf8), mode: SimulationFile.mode, durable: false)
            ) { (error: FileError) in ReaderError(.readerLost, error.detail) }
        }
        return success
    }

    /// Claims the reader, so that other commands cannot use it. They can still put tags on the
    /// reader and remove them.
    func claim() throws(ReaderError) -> FileLock {
        let name = path + ".reader"
        let lock = try translating(FileLock.acquire(name, waiting: false), into: unusable)
        if let lock { return lock }
        let holder = FileLock.holder(of: name).map { " (process \($0))" } ?? ""
        throw ReaderError(
            .busy, "the simulation file \(path) is in use by another tapcard\(holder)")
    }
}
