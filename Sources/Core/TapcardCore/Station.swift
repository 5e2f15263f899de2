public import CardCryptography
import CardImage
public import Ledger
public import TagReading
public import TapcardDomain

/// A reader, a ledger and the keys: everything that a card is worked on with.
///
/// Each use case is a method in a file of its own. One call at a time: a reader serves one card.
public struct Station: Sendable {
    public let reader: any TagReader
    public let ledger: any LedgerStore
    public let keySource: KeyRingSource
    public internal(set) var settings: Settings
    public let surroundings: Surroundings

    public init(
        reader: any TagReader, ledger: any LedgerStore, keys: KeyRing,
        settings: Settings = Settings(), surroundings: Surroundings
    ) {
        self.init(
            reader: reader, ledger: ledger, keySource: KeyRingSource(keys), settings: settings,
            surroundings: surroundings)
    }

    /// With keys that may change while the station runs.
    public init(
        reader: any TagReader, ledger: any LedgerStore, keySource: KeyRingSource,
        settings: Settings = Settings(), surroundings: Surroundings
    ) {
        self.reader = reader
        self.ledger = ledger
        self.keySource = keySource
        self.settings = settings
        self.surroundings = surroundings
    }

    /// How long things take and may take, and how much money may move.
    public struct Settings: Sendable, Hashable {
        /// How long to wait for a card.
        public var wait: Duration
        /// How long an open payment that another tap finds done on the tag is still booked.
        public var paymentLifetime: Duration
        /// How long scratching takes.
        public var scratching: Duration
        /// How much money may move at once; nil for what is usual in the ledger's currency.
        public var ceilings: Ceilings?
        /// Whether somebody has confirmed an amount above the lower ceilings.
        public var isConfirmed: Bool

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
    }

    /// Time, chance, who works here and the listener for progress: parameters, so that tests own
    /// them.
    public struct Surroundings: Sendable {
        public let now: @Sendable () -> Timestamp
        /// A clock that nobody can set; nil where the machine has none.
        public let uptime: @Sendable () -> Uptime?
        /// Throws when the task was cancelled.
        public let sleep: @Sendable (Duration) async throws -> Void
        public let random: @Sendable (Int) -> [UInt8]
        public let progress: @Sendable (Progress) -> Void
        /// Who has begun what is begun here; nil where nobody has said so.
        public var cashier: CashierName?

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

        /// A new operation's id.
        public func newID() -> OperationID {
            guard let id = OperationID(random: random(16)) else {
                preconditionFailure("the random source gave fewer bytes than asked for")
            }
            return id
        }
    }

    /// What a person who watches may be told meanwhile.
    public enum Progress: Sendable, Hashable {
        case waitingForCard
        case cardSeen(CardUID)
        case settling(OperationID)
        case scratching
        /// The service that activates codes is asked; leaving does not stop that.
        case asking
        case writing
        /// The step of its protection that the tag takes now.
        case switchingProtection(CardProtection)
        /// It has happened; what phones read is still being refreshed.
        case committed(OperationID)
        /// Why a tag is not as it should be: a hint for the log, never a decision.
        case hint(String)
    }

    /// As they were at the last look at a card.
    public var keys: KeyRing { keySource.current }
    public var currency: Currency { ledger.currency }
    var now: Timestamp { surroundings.now() }
    var cashier: CashierName? { surroundings.cashier }

    public func newID() -> OperationID { surroundings.newID() }

    /// Seals with the newest active key.
    var sealer: RecordSealer {
        let entry = keys.sealing
        let keys = entry.keys
        return RecordSealer(
            keyID: entry.id,
            seal: { content in
                guard
                    let record = SealedRecord(
                        uid: content.uid, sequence: content.sequence, balance: content.balance,
                        state: SealedRecord.State(content.scratch), holder: content.holder,
                        keyID: entry.id, cardKey: keys.cardKey(uid: content.uid.bytes))
                else { preconditionFailure("the ledger let a balance pass that no card can hold") }
                return record.bytes
            },
            keyOf: { SealedRecord($0)?.keyID })
    }
}
