import CardCryptography
import Ledger
// Re-exported, so that a program needs only `import TapcardTags`.
@_exported public import LibNFCReader
import OperatingSystem
@_exported public import PCSCReader
@_exported public import SimulatedReader
public import Tags
@_exported public import TapcardCore
import TapcardDomain
import TextCodecs

/// Reads, writes, and watches any NFC tag, without a ledger or keys.
///
/// Call one method at a time, because a reader handles one tag at a time. The closure that you pass
/// to ``watch(_:)`` may call the other methods.
public struct TagBridge: Sendable {
    private let messages: TagMessages

    /// Creates a bridge that uses this reader. ``read()`` and
    /// ``write(_:overwriting:locking:)`` give up if no tag arrives within `wait`.
    public init(reader: any TagReader, wait: Duration = .seconds(30)) {
        // A station requires keys and a ledger, but reading and writing messages uses neither.
        let station = Station(
            reader: reader, ledger: InMemoryLedger(), keys: .fresh(created: ""),
            settings: Station.Settings(wait: wait),
            dependencies: Station.Dependencies(
                now: { Timestamp(milliseconds: SystemClock.millisecondsSince1970) },
                sleep: { try await Task.sleep(for: $0) }))
        messages = station.messages
    }

    /// What was read from a tag.
    public struct Tag: Sendable, Hashable {
        /// The UID in hexadecimal digits. It identifies a tag but proves nothing, because anyone
        /// can make a tag with any UID.
        public let uid: String
        /// The chip's name, or the kind of tag.
        public let kind: String
        /// The records on the tag; empty if there are none.
        public let records: [TagRecord]
        /// Why the message on the tag cannot be decoded; nil if it can.
        public let problem: String?
        /// The number of bytes by which the message can grow.
        public let freeByteCount: Int
        /// Whether the tag is marked as writable.
        public let isWritable: Bool

        init(_ reading: TagReading) {
            uid = Hexadecimal.encode(reading.uid)
            kind = reading.kind
            problem = reading.problem
            freeByteCount = reading.freeByteCount
            isWritable = reading.isWritable
            let message = try? NDEFMessage(decoding: reading.message, .lenient)
            records = (message?.records ?? []).filter { $0.format != .empty }.map(TagRecord.init)
        }
    }

    /// An event at a reader that is being watched.
    public enum Event: Sendable {
        /// A tag arrived and was read.
        case arrived(Tag)
        /// A tag could not be read, or the reader failed.
        case problem(TapcardError)
        /// The last reported tag or problem is gone.
        case departed
        /// The reader had no tag on it when the watch began.
        case empty
        /// The lost reader is back, or another reader has replaced it.
        case readerReturned(name: String)
    }

    /// Waits for a tag and reads it. Writes nothing.
    public func read() async throws(TapcardError) -> Tag { Tag(try await messages.read()) }

    /// Waits for a tag, writes these records to it, and returns its UID in hexadecimal digits.
    ///
    /// Reads the records back before it returns. If the tag is removed during the write, throws an
    /// error with the result `TapcardError.Result.unknown`: the tag then holds its old message,
    /// no message, or the new one. To finish, write the same records to the same tag again.
    ///
    /// Refuses a tag with other content unless `overwriting` is true. Always refuses a card with a
    /// balance. If `locking` is true, makes the tag read-only, which cannot be undone.
    @discardableResult
    public func write(
        _ records: [TagRecord], overwriting: Bool = false, locking: Bool = false
    ) async throws(TapcardError) -> String {
        var encoded: [NDEFRecord] = []
        for record in records {
            guard let record = record.encoded else {
                throw TapcardError(
                    .usage, "The language of a text record is not a language code.",
                    meaning: "Nothing was written to the tag.")
            }
            encoded.append(record)
        }
        var options = WriteOptions()
        (options.overwrites, options.locks) = (overwriting, locking)
        let message = NDEFMessage(encoded)
        let written = try await messages.write(options) { _ in message }
        return Hexadecimal.encode(written.uid)
    }

    /// Reads each tag that arrives until the task is canceled or `show` returns false. Writes
    /// nothing.
    ///
    /// Reports a tag that stays on the reader only once. If the reader is unplugged, waits until it
    /// is back.
    public func watch(_ show: (Event) async -> Bool) async {
        await messages.watch { reading in
            await show(.arrived(Tag(reading)))
        } showOther: { event in
            switch event {
            // Never sent, because this watch does not check for cards.
            case .card: true
            case .problem(let error): await show(.problem(error))
            case .gone: await show(.departed)
            case .empty: await show(.empty)
            case .readerReturned(let name): await show(.readerReturned(name: name))
            }
        }
    }
}
