public import CardCryptography
package import Cards
public import Ledger
public import Tags
public import TapcardDomain

/// A reader, a ledger, and the keys: everything needed to work with a card.
///
/// Each operation is a method. Call only one at a time, because a reader handles one card at a
/// time.
public struct Station: Sendable {
    /// How long to look for a tag that was on the reader a moment ago.
    static let returnLimit = Duration.milliseconds(300)

    /// How often to check whether the card is still on an occupied reader.
    package static let presenceInterval = TagPresence.interval

    /// The reader, which handles one card at a time.
    public let reader: any TagReader
    /// The ledger that stores operations and balances.
    public let ledger: any LedgerStore
    /// The source of the keys, which are reread each time a card is read.
    public let keySource: KeyRingSource
    /// The durations and limits that apply.
    public internal(set) var settings: Settings
    /// The clocks, the random source, and the callbacks.
    public let dependencies: Dependencies
    /// The cards in the ledger, for use while it is offline.
    var snapshot: CardSnapshot?

    /// Creates a station whose keys do not change.
    public init(
        reader: any TagReader, ledger: any LedgerStore, keys: KeyRing,
        settings: Settings = Settings(), dependencies: Dependencies
    ) {
        self.init(
            reader: reader, ledger: ledger, keySource: KeyRingSource(keys), settings: settings,
            dependencies: dependencies)
    }

    /// Creates a station whose keys may change while it runs.
    public init(
        reader: any TagReader, ledger: any LedgerStore, keySource: KeyRingSource,
        settings: Settings = Settings(), dependencies: Dependencies
    ) {
        self.reader = reader
        self.ledger = ledger
        self.keySource = keySource
        self.settings = settings
        self.dependencies = dependencies
    }

    /// A station's durations and limits.
    public struct Settings: Sendable, Hashable {
        /// How long to wait for a card.
        public var wait: Duration
        /// The maximum age at which an open payment is still booked when another tap finds it on
        /// the tag.
        public var paymentLifetime: Duration
        /// How long scratching takes.
        public var scratching: Duration
        /// The limits on how much money may move at once; nil means the defaults for the ledger's
        /// currency.
        public var ceilings: Ceilings?
        /// Whether someone has confirmed an amount above the lower ceilings.
        public var isConfirmed: Bool
        /// The file that phones read on an NTAG 424. It contains the address of the issuer's page.
        package var address = AddressFile.placeholder
        /// Whether cards can be made at this reader, which shows their keys and passwords to the
        /// machine that drives it.
        package var isReaderTrusted = true
        /// Whether to check that the next step works before advising it for a tag that is not a card.
        var checksAdvice = true

        /// Creates settings. Every parameter has a default.
        public init(
            wait: Duration = .seconds(30), paymentLifetime: Duration = .seconds(120),
            scratching: Duration = .seconds(2), ceilings: Ceilings? = nil,
            isConfirmed: Bool = false
        ) {
            self.wait = wait
            self.paymentLifetime = paymentLifetime
            self.scratching = scratching
            self.ceilings = ceilings
            self.isConfirmed = isConfirmed
        }

        /// Sets the page that phones open when they read an NTAG 424 card made here, such as
        /// `https://cards.example.org/c`.
        public mutating func setCardAddress(_ page: String) throws(Refusal) {
            address = try translating(AddressFile(page: page)) { (error: AddressError) in
                Refusal(.badIdentifier, error.description)
            }
        }
    }

    /// The clocks, the random source, the cashier, and the progress callback, passed in so that
    /// tests can control them.
    public struct Dependencies: Sendable {
        /// The current time, by the wall clock.
        public let now: @Sendable () -> Timestamp
        /// A monotonic clock; nil if the machine has none.
        public let uptime: @Sendable () -> Uptime?
        /// Sleeps for the given duration; throws if the task is canceled.
        public let sleep: @Sendable (Duration) async throws -> Void
        /// Returns the requested number of random bytes.
        public let random: @Sendable (Int) -> [UInt8]
        /// Called at each step of an operation, to report its progress.
        public let progress: @Sendable (Progress) -> Void
        /// Who begins operations here.
        public var requester = Requester()

        /// Creates a station's dependencies. Only `now` and `sleep` have no default.
        public init(
            now: @escaping @Sendable () -> Timestamp,
            uptime: @escaping @Sendable () -> Uptime? = { nil },
            sleep: @escaping @Sendable (Duration) async throws -> Void,
            random: @escaping @Sendable (Int) -> [UInt8] = RandomBytes.make,
            progress: @escaping @Sendable (Progress) -> Void = { _ in }
        ) {
            self.now = now
            self.uptime = uptime
            self.sleep = sleep
            self.random = random
            self.progress = progress
        }

        /// The ID of a new operation.
        public func newID() -> OperationID {
            guard let id = OperationID(random: random(16)) else {
                preconditionFailure("the random source returned fewer bytes than requested")
            }
            return id
        }
    }

    /// A progress report on an operation.
    public enum Progress: Sendable, Hashable {
        /// The reader is waiting for a card.
        case waitingForCard
        /// A card was selected.
        case cardSeen(CardUID)
        /// An operation that an earlier tap left open is being resolved.
        case resolving(OperationID)
        /// The card is being scratched, so it has no code yet.
        case scratching
        /// The activation service is being contacted; canceling does not stop the request.
        case asking
        /// The card is being written to and should stay where it is.
        case writing
        /// The tag's password is being set or removed; this is the current step.
        case switchingProtection(CardProtection)
        /// The operation has been committed; the text for phones is still being updated.
        case committed(OperationID)
        /// A hint for the log, such as why a tag differs from what was expected. No decision is
        /// based on it.
        case hint(String)
    }

    /// An event from a reader that is being watched.
    package enum WatchEvent: Sendable {
        /// A card was put on the reader and was read.
        case card(CardSummary)
        /// A tap failed, or the reader failed.
        case problem(TapcardError)
        /// The card or problem reported last is gone.
        case gone
        /// The reader was empty the first time it was checked after being opened.
        case empty
        /// A lost reader has been found again, or another reader has replaced it.
        case readerReturned(name: String)
    }

    /// The keys as of the last time a card was read.
    public var keys: KeyRing { keySource.current }
    /// The currency of the ledger.
    public var currency: Currency { ledger.currency }
    var now: Timestamp { ledger.time(at: dependencies.now()) }
    var requester: Requester { dependencies.requester }

    /// This station with an empty ledger instead of its own, so that it reports only what it reads
    /// from the cards.
    var withoutLedger: Station {
        Station(
            reader: reader, ledger: InMemoryLedger(currency: currency), keySource: keySource,
            settings: settings, dependencies: dependencies)
    }

    /// A new ID for a request. A retry of the request must use the same ID.
    public func newID() -> OperationID { dependencies.newID() }
}

/// The types that do a station's work.
extension Station {
    var hints: TagHints { TagHints(station: self) }
    var fitness: TagFitness { TagFitness(station: self) }
    var limits: Limits { Limits(settings: settings, currency: currency) }
    var sealing: Sealing {
        Sealing(keySource: keySource, isReaderTrusted: settings.isReaderTrusted)
    }
    var unknownTags: UnknownTags { UnknownTags(station: self) }
    var faceWriter: FaceWriter { FaceWriter(station: self) }
    var scanner: CardScanner { CardScanner(station: self) }
    var ntag424Scanner: NTAG424Scanner { NTAG424Scanner(station: self) }
    var ntag424Writer: NTAG424Writer { NTAG424Writer(station: self) }
    var passwords: TagPasswords { TagPasswords(station: self) }
    var protectionSteps: ProtectionSteps { ProtectionSteps(station: self) }
    var recordWriter: RecordWriter { RecordWriter(station: self) }
    var resolver: Resolver { Resolver(station: self) }
    var answering: Answering { Answering(station: self) }
    var summaries: CardSummaries { CardSummaries(station: self) }
    var planning: CardPlanning { CardPlanning(station: self) }
    var tools: TagTools { TagTools(station: self) }
    package var messages: TagMessages { TagMessages(station: self) }
}
