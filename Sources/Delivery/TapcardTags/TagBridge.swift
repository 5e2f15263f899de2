import CardCryptography
import Ledger
// A program that uses tags needs only one import.
@_exported public import LibNFCReader
import OperatingSystem
@_exported public import PCSCReader
@_exported public import SimulatedReader
public import Tags
@_exported public import TapcardCore
import TapcardDomain
import TextCodecs

/// Reads, writes, and watches tags of any kind, without a ledger and without keys.
///
/// Call only one method at a time, because a reader handles one tag at a time. While ``watch(_:)``
/// waits for its closure, the closure may use the other methods.
public struct TagBridge: Sendable {
    private let messages: TagMessages

    /// Creates a bridge to the tags on a reader, and sets how long to wait for a tag.
    public init(reader: any TagReader, wait: Duration = .seconds(30)) {
        // Every station has keys and a ledger. These keys are never used: messages need none.
        let station = Station(
            reader: reader, ledger: InMemoryLedger(), keys: .fresh(created: ""),
            settings: Station.Settings(wait: wait),
            dependencies: Station.Dependencies(
                now: { Timestamp(milliseconds: SystemClock.millisecondsSince1970) },
                sleep: { try await Task.sleep(for: $0) }))
        messages = station.messages
    }

    /// A tag, as it was read.
    public struct Tag: Sendable, Hashable {
        /// The UID in hexadecimal digits. It identifies a tag but proves nothing, because anyone
        /// can make a tag with any UID.
        public let uid: String
        /// The name of the chip, or of the kind of tag.
        public let kind: String
        /// The records on the tag; empty if there are none.
        public let records: [TagRecord]
        /// Why the message on the tag cannot be decoded; nil if it can.
        public let problem: String?
        /// How many bytes longer the message could be.
        public let freeByteCount: Int
        /// Whether the tag itself says that it can be written.
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
        /// A tag was put on the reader and was read.
        case arrived(Tag)
        /// A tag could not be read, or the reader failed.
        case problem(TapcardError)
        /// The tag or problem reported last is gone.
        case departed
        /// The reader was empty when it was first checked.
        case empty
        /// A lost reader has been found again, or another reader has replaced it.
        case readerReturned(name: String)
    }

    /// Waits for a tag and reads it. Nothing is written.
    public func read() async throws(TapcardError) -> Tag { Tag(try await messages.read()) }

    /// Waits for a tag, writes these records to it, and returns its UID in hexadecimal digits.
    ///
    /// Returns only after the records have been read back. If the tag is removed too early, it
    /// holds its old message, no message, or the new one, and this throws an error whose result is
    /// ``TapcardError/Result/unknown``; to finish, write the same records to the same tag again.
    ///
    /// A tag that holds something else is refused unless `overwriting` is true; a card with a
    /// balance is always refused. If `locking` is true, the tag can never be written to again.
    @discardableResult
    public func write(
        _ records: [TagRecord], overwriting: Bool = false, locking: Bool = false
    ) async throws(TapcardError) -> String {
        var encoded: [NDEFRecord] = []
        for record in records {
            guard let record = record.encoded else {
                throw TapcardError(
                    .usage, "A text has a language that is not a language code.",
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

    /// Reads tag after tag until the task is canceled or `show` returns false. Nothing is written.
    /// A tag that stays on the reader is one event. If the reader is unplugged, this waits until it
    /// is back.
    public func watch(_ show: (Event) async -> Bool) async {
        await messages.watch { reading in
            await show(.arrived(Tag(reading)))
        } showOther: { event in
            switch event {
            // No tag is asked whether it is a card.
            case .card: true
            case .problem(let error): await show(.problem(error))
            case .gone: await show(.departed)
            case .empty: await show(.empty)
            case .readerReturned(let name): await show(.readerReturned(name: name))
            }
        }
    }
}
