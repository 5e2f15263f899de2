package import Ledger
package import ReaderDiagnosis
package import Tags
package import TapcardCore
package import TapcardDomain

/// The drivers that the commands need; the executable provides them.
package struct Drivers: Sendable {
    /// Opens the reader with this name or, if the name is nil, a connected reader. A simulated
    /// reader without its own file uses the one in `folder`.
    package private(set) var openReader:
        @Sendable (ReaderName?, _ folder: String, ReaderUse) async throws(ReaderError) ->
            any TagReader
    /// Opens the ledger at a place. `mayMake` says whether a missing file may be created. `memory`
    /// is the file in which a station records what a database has confirmed to it.
    package private(set) var openLedger:
        @Sendable (LedgerPlace, Currency?, _ mayMake: Bool, _ memory: String?)
            async throws(LedgerError) ->
            any LedgerStore
    /// Returns the ledger in a database that is offline, for a station that waits for the database.
    package let awaitLedger:
        @Sendable (_ address: String, Currency, _ memory: String) -> any LedgerStore
    /// Returns the database at an address, for its owner, without sending a request yet.
    package let database: @Sendable (_ address: String) -> any LedgerDatabase
    /// Copies a ledger that may be in use.
    package let backUp: @Sendable (_ path: String, _ copy: String) async throws(LedgerError) -> Void
    /// Replaces the ledger with a backup copy.
    package let restore:
        @Sendable (_ copy: String, _ path: String, Currency?) async throws(LedgerError) ->
            Restoration
    /// Renames a ledger to take it out of use and returns the new name.
    package let setAside: @Sendable (_ path: String) async throws(LedgerError) -> String
    package let simulatedTags: any SimulatedTags
    package let readers: any ReaderInventory
    /// Asks the servers to which this machine's readers are connected whether they accept them.
    package let checkConnections: @Sendable (Settings) async throws(TapcardError) -> ConnectionCheck
    /// Creates the clients for the services without sending a request.
    package let services: @Sendable (ServiceSettings) -> Services
    package private(set) var dependencies:
        @Sendable (
            _ progress: @escaping @Sendable (Station.Progress) -> Void
        ) -> Station.Dependencies

    package init(
        openReader:
            @escaping @Sendable (ReaderName?, String, ReaderUse) async throws(ReaderError) ->
            any TagReader,
        openLedger:
            @escaping @Sendable (LedgerPlace, Currency?, Bool, String?) async throws(LedgerError) ->
            any LedgerStore,
        awaitLedger: @escaping @Sendable (String, Currency, String) -> any LedgerStore,
        database: @escaping @Sendable (String) -> any LedgerDatabase,
        backUp: @escaping @Sendable (String, String) async throws(LedgerError) -> Void,
        restore:
            @escaping @Sendable (String, String, Currency?) async throws(LedgerError) ->
            Restoration,
        setAside: @escaping @Sendable (String) async throws(LedgerError) -> String,
        simulatedTags: any SimulatedTags,
        readers: any ReaderInventory,
        checkConnections:
            @escaping @Sendable (Settings) async throws(TapcardError) -> ConnectionCheck,
        services: @escaping @Sendable (ServiceSettings) -> Services,
        dependencies:
            @escaping @Sendable (
                @escaping @Sendable (Station.Progress) -> Void
            ) -> Station.Dependencies
    ) {
        (self.openReader, self.openLedger) = (openReader, openLedger)
        (self.awaitLedger, self.database) = (awaitLedger, database)
        (self.backUp, self.restore, self.setAside) = (backUp, restore, setAside)
        (self.simulatedTags, self.readers) = (simulatedTags, readers)
        self.checkConnections = checkConnections
        (self.services, self.dependencies) = (services, dependencies)
    }
}

extension Drivers {
    /// These drivers for a command that shares an open reader and ledger with other commands and
    /// reports its progress to a listener.
    package func sharing(
        _ reader: any TagReader, _ ledger: any LedgerStore,
        _ listener: @escaping @Sendable (Station.Progress) -> Void
    ) -> Drivers {
        var drivers = self
        drivers.openReader = { _, _, _ in reader }
        drivers.openLedger = { _, _, _, _ in ledger }
        drivers.dependencies = { [dependencies] progress in
            dependencies {
                listener($0)
                progress($0)
            }
        }
        return drivers
    }
}

/// The clients for the three services.
package struct Services: Sendable {
    package let activation: any ActivationService
    package let lottery: any LotteryService
    package let mastermind: any MastermindService

    package init(
        activation: any ActivationService, lottery: any LotteryService,
        mastermind: any MastermindService
    ) {
        (self.activation, self.lottery, self.mastermind) = (activation, lottery, mastermind)
    }
}

/// What an open reader is used for.
package enum ReaderUse: Sendable {
    /// One tap. If it is interrupted, the next tap resolves it.
    case tap
    /// Many taps, all day, even if the reader is connected later. The reader must recover from
    /// failures of its driver and its cable. The associated value lists the readers of the server's
    /// other tills.
    case till(nextTo: [ReaderName])
}

/// The readers connected to this machine, before any is opened.
package protocol ReaderInventory: Sendable {
    /// Lists the readers and the programs that use them, including the serial port of `name`. No
    /// reader is opened, but if systemd listens on pcscd's socket, the query starts pcscd.
    func survey(naming name: ReaderName?) async -> ReaderSurvey
    /// The chip and firmware of an open reader; nil if it does not report them.
    func firmware(of reader: any TagReader) async -> String?
}

/// The tags for simulated readers. All tills of a server share the tags: a tag that is put on one
/// till's reader is removed from the others.
package protocol SimulatedTags: Sendable {
    /// Puts tags on the reader, each specified by its UID or its chip. Specifying a chip creates a
    /// new tag, and an empty list puts the last tag back.
    func put(
        _ which: [String], _ reader: String, nextTo others: [String]
    ) throws(TapcardError) -> [SimulatedTag]
    func take(_ reader: String) throws(TapcardError)
    /// Arms a fault; nil disarms it.
    func tear(_ fault: String?, _ reader: String) throws(TapcardError)
    func list(
        _ reader: String, nextTo others: [String]
    ) throws(TapcardError) -> (tags: [SimulatedTag], fault: String?)
    /// Taps a tag with a phone: the tag with this UID or, if nil, the tag on the reader.
    func showToPhone(_ uid: String?, _ reader: String) throws(TapcardError) -> SeenByPhone
}

/// What a phone read from a tag.
package struct SeenByPhone: Sendable, Hashable {
    /// The bytes that the phone received.
    package enum Content: Sendable, Hashable {
        /// An NDEF message.
        case message([UInt8])
        /// The data area of a tag that has pages.
        case area([UInt8])
    }

    package let tag: SimulatedTag
    package let content: Content
    /// The number of times the chip has been read; nil if the chip does not reveal its counter.
    package let reads: UInt32?

    package init(tag: SimulatedTag, content: Content, reads: UInt32?) {
        (self.tag, self.content, self.reads) = (tag, content, reads)
    }
}

package struct SimulatedTag: Sendable, Hashable {
    package let uid: String
    /// The name of the chip.
    package let chip: String
    package let isOnReader: Bool

    package init(uid: String, chip: String, isOnReader: Bool) {
        (self.uid, self.chip, self.isOnReader) = (uid, chip, isOnReader)
    }
}
