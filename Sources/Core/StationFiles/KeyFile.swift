import BlockingLane
public import CardCryptography
import OperatingSystem
public import TapcardCore
public import TapcardDomain
import TextCodecs

/// The file in which a station keeps its keys: readable by its owner only, or refused.
public struct KeyFile: Sendable {
    private static let mode: UInt32 = 0o600
    private static let othersMayRead: UInt32 = 0o077

    /// The path of the file.
    public let path: String
    private let whenWaiting: @Sendable (String) -> Void

    /// Names a key file. It is neither read nor made yet. `whenWaiting` is told what a change of the
    /// keys waits for, where that takes longer than another change.
    public init(path: String, whenWaiting: @escaping @Sendable (String) -> Void = { _ in }) {
        (self.path, self.whenWaiting) = (path, whenWaiting)
    }

    /// The content of a file from another machine.
    package enum Brought: Sendable {
        case ring(KeyRing)
        /// A table of card keys, which anybody may see.
        case sealed(SealedTable)
    }

    /// The keys; nil where the file is missing.
    public func load() throws(TapcardError) -> KeyRing? {
        guard case .ring(let ring) = try content(mayBeSealed: false) else { return nil }
        return ring
    }

    /// Reads a file from another machine; nil where it is missing.
    package func brought() throws(TapcardError) -> Brought? { try content(mayBeSealed: true) }

    private func content(mayBeSealed: Bool) throws(TapcardError) -> Brought? {
        let file = DurableFile(path)
        do {
            let isStream = path == DurableFile.standardStream
            guard let bytes = try isStream ? file.readStream() : file.read() else { return nil }
            if mayBeSealed, let table = try SealedTable(parsing: bytes) { return .sealed(table) }
            switch isStream ? nil : try file.exposure(KeyFile.othersMayRead) {
            case .permitted(let mode):
                throw refusal(
                    "The key file \(path) can be read by others (mode \(String(mode, radix: 8))).",
                    .makePrivate(.keys, path))
            // A file from another machine is taken as it is, once.
            case .foreign where !mayBeSealed:
                throw refusal(
                    "The key file \(path) belongs to another user.", .letOwnerRun(.keys))
            case .foreign, nil: break
            }
            return .ring(try KeyRing(parsing: bytes))
        } catch let error as TapcardError {
            throw error
        } catch let error as KeyError {
            throw refusal(
                "The key file \(path) is damaged: \(error.detail).",
                .restore(.keys))
        } catch let error as FileError {
            if error.kind == .cancelled {
                throw KeyFile.stopped
            }
            throw refusal(
                "The key file cannot be read: \(error.detail).",
                .letOwnerRun(.keys))
        } catch {
            throw refusal("The key file cannot be read: \(error).")
        }
    }

    /// The keys, made now for cards in this currency if the file is missing, and whether they are
    /// new.
    public func loadOrMake(
        created: String, currency: Currency? = nil, random: (Int) -> [UInt8]
    ) throws(TapcardError) -> (keys: KeyRing, areNew: Bool) {
        if let keys = try load() { return (keys, false) }
        return try alone { () throws(TapcardError) in
            if let keys = try load() { return (keys, false) }
            let keys = KeyRing.fresh(created: created, random: random)
                .sealing(currency: currency?.code)
            try save(keys)
            return (keys, true)
        }
    }

    private static let stopped = TapcardError(
        .cancelled, "Stopped.", meaning: "No key was changed.")

    /// Runs a body that reads and then writes the file, while no other process does so: of two
    /// rings that are made or changed at once one would be lost, and the cards under it with it.
    public func alone<Success>(
        _ body: () throws(TapcardError) -> Success
    ) throws(TapcardError) -> Success {
        let lock = path + ".lock"
        return try FileLock.holding(
            lock,
            orThrow: { error in
                guard error.kind != .cancelled else { return KeyFile.stopped }
                return refusal(
                    "The key file cannot be locked: \(error.detail).",
                    .makeRoom(.keys))
            },
            whenWaiting: {
                let holder =
                    FileLock.holder(of: lock).map { "process \($0)" } ?? "another process"
                whenWaiting("Waiting for \(holder), which is changing the keys (\(lock)).")
            }, body)
    }

    /// The content of the file.
    public static func text(of keys: KeyRing) -> String { keys.json().prettyText }

    /// Replaces the file as a whole, readable by its owner only.
    public func save(_ keys: KeyRing) throws(TapcardError) {
        let bytes = Array(KeyFile.text(of: keys).utf8)
        do {
            try DurableFile(path).write(bytes, mode: KeyFile.mode)
        } catch {
            guard (try? DurableFile(path).read()) != bytes else {
                throw refusal(
                    "The disk failed while the key file was being written: \(error.detail).",
                    .lookAtKeys)
            }
            throw refusal(
                "The key file cannot be written: \(error.detail).",
                .makeRoom(.keys))
        }
    }

    fileprivate func refusal(_ what: String, _ step: NextStep.FileStep? = nil) -> TapcardError {
        TapcardError(
            .keysUnusable, what,
            meaning: "Without its keys tapcard neither reads nor writes cards.",
            next: step.map { [.file($0)] } ?? [])
    }
}

extension KeyRingSource {
    /// The keys of a file, with the ring that was just read from it.
    public convenience init(_ file: KeyFile, holding ring: KeyRing) {
        let known = Guarded(KnownRing(ring: ring))
        self.init(ring) { () throws(TapcardError) in
            try known.withLock { known throws(TapcardError) in try known.ring(in: file) }
        }
    }
}

/// A ring and the state of its file when it was read.
private struct KnownRing {
    var ring: KeyRing
    var stamp: DurableFile.Stamp?

    /// The stamp is taken first: a file that changes in between is read again next time.
    mutating func ring(in file: KeyFile) throws(TapcardError) -> KeyRing {
        let stamp = try? DurableFile(file.path).stamp()
        if let stamp, stamp == self.stamp { return ring }
        guard let read = try file.load() else {
            throw file.refusal("The key file \(file.path) is missing.", .restore(.keys))
        }
        (ring, self.stamp) = (read, stamp)
        return read
    }
}
