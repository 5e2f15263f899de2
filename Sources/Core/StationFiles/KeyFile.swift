import BlockingLane
public import CardCryptography
import OperatingSystem
public import TapcardCore
public import TapcardDomain
import TextCodecs

/// The file that holds a station's keys. The file is refused if anyone but its owner can access it.
public struct KeyFile: Sendable {
    /// The path of the file.
    public var path: String { file.path }
    private let file: PrivateFile
    private let whenWaiting: @Sendable (String) -> Void

    /// Refers to a key file without reading or creating it. If a change to the keys has to wait a
    /// long time, `whenWaiting` is called with a message that says what it is waiting for.
    public init(path: String, whenWaiting: @escaping @Sendable (String) -> Void = { _ in }) {
        file = PrivateFile(
            path: path, secret: .keys, kind: .keysUnusable, name: "The key file",
            meaning: "Cards cannot be read or written without the keys.",
            unchanged: "The key file was not changed.")
        self.whenWaiting = whenWaiting
    }

    /// The keys; nil if the file is missing.
    public func load() throws(TapcardError) -> KeyRing? {
        try content(mayBeForeign: false)
    }

    /// Reads a file from another machine; nil if it is missing.
    package func importedKeys() throws(TapcardError) -> KeyRing? {
        try content(mayBeForeign: true)
    }

    private func content(mayBeForeign: Bool) throws(TapcardError) -> KeyRing? {
        let (stored, isStream) = (DurableFile(path), path == DurableFile.standardStream)
        let found = try translating(isStream ? stored.readStream() : stored.read()) {
            (error: FileError) in
            // Reading a stream can be canceled while it waits for input.
            error.kind == .cancelled ? KeyFile.stopped : file.unreadable(error)
        }
        guard let bytes = found else { return nil }
        // A file from another machine is read only once, so it may belong to another user. A stream
        // has no permissions to check.
        if !isStream { try file.requirePrivate(mayBeForeign: mayBeForeign) }
        return try translating(KeyRing(parsing: bytes), into: damaged)
    }

    fileprivate var missing: TapcardError {
        file.refusal("\(file.named) does not exist.", .restore(.keys))
    }

    private func damaged(_ error: KeyError) -> TapcardError {
        if error.kind == .newerFormat {
            return file.refusal(
                "\(file.named) is from a newer version of tapcard.", .useNewerVersion(.keys))
        }
        return file.refusal("\(file.named) is damaged: \(error.detail).", .restore(.keys))
    }

    /// The keys, and whether they are new. If the file is missing, this creates it with new keys
    /// for cards in this currency.
    public func loadOrMake(
        created: String, currency: Currency? = nil, random: (Int) -> [UInt8]
    ) throws(TapcardError) -> (keys: KeyRing, areNew: Bool) {
        // Usually the file exists. It is only ever replaced as a whole, so reading it needs no
        // lock.
        if let keys = try load() { return (keys, false) }
        return try withExclusiveLock { () throws(TapcardError) in
            // Another process may have created the keys before this one got the lock.
            if let keys = try load() { return (keys, false) }
            let keys = KeyRing.fresh(created: created, random: random)
                .sealing(currency: currency?.code)
            try save(keys)
            return (keys, true)
        }
    }

    private static let stopped = TapcardError(
        .cancelled, "Canceled.", meaning: "The keys are unchanged.")

    /// Runs a body that reads and then writes the file, while holding a lock that keeps other
    /// processes from changing it. If two processes created or changed the keys at once, one of the
    /// two key rings would be lost, along with the cards that depend on it.
    public func withExclusiveLock<Success>(
        _ body: () throws(TapcardError) -> Success
    ) throws(TapcardError) -> Success {
        let lock = path + ".lock"
        return try FileLock.holding(
            lock,
            orThrow: { $0.kind == .cancelled ? KeyFile.stopped : file.unlockable($0) },
            whenWaiting: {
                let holder =
                    FileLock.holder(of: lock).map { "process \($0)" } ?? "another process"
                whenWaiting("Waiting for \(holder) to finish changing the keys (\(lock)).")
            }, body)
    }

    /// The contents of a key file with these keys.
    public static func text(of keys: KeyRing) -> String { keys.json().prettyText }

    /// Replaces the whole file. Only its owner can read the new file.
    public func save(_ keys: KeyRing) throws(TapcardError) {
        try file.write(KeyFile.text(of: keys))
    }
}

extension KeyRingSource {
    /// Creates a source of the keys in a file. `ring` is the key ring that has just been read from
    /// it.
    public convenience init(_ file: KeyFile, holding ring: KeyRing) {
        let known = Guarded(CachedKeys())
        self.init(ring) { () throws(TapcardError) in
            let keys = try known.withLock { known throws(TapcardError) in try known.keys(in: file) }
            guard let keys else { throw file.missing }
            return keys
        }
    }
}

/// Caches a key file, and rereads it only when it has changed.
package struct CachedKeys: Sendable {
    private var keys: KeyRing?
    private var stamp: DurableFile.Stamp?

    package init() {}

    /// The current keys; nil if the file is missing. The stamp is taken before the file is read, so
    /// that a file that changes in between is read again next time.
    package mutating func keys(in file: KeyFile) throws(TapcardError) -> KeyRing? {
        let now = try? DurableFile(file.path).stamp()
        if let now, now == stamp { return keys }
        // If loading fails, the next call must not return the old keys.
        stamp = nil
        keys = try file.load()
        stamp = now
        return keys
    }
}
