package import Ledger
package import ReaderDiagnosis
package import ServicePorts
package import TagReading
package import TapcardCore
package import TapcardDomain

/// What the commands need of the world and do not know how to make: the executable, which knows
/// every driver, hands it to them.
package struct Drivers: Sendable {
    /// Opens the reader with this name; nil for whatever is plugged in. A simulated one without a
    /// file of its own has one in the folder.
    package let openReader:
        @Sendable (String?, _ folder: String, ReaderUse) async throws(ReaderError) ->
            any TagReader
    /// Opens the ledger at a path; whether one is made where there is none is the third.
    package let openLedger:
        @Sendable (_ path: String, Currency?, _ mayMake: Bool) async throws(LedgerError) ->
            any LedgerStore
    /// Copies the ledger while it is in use.
    package let backUp: @Sendable (_ path: String, _ copy: String) async throws(LedgerError) -> Void
    /// Puts a copy in the ledger's place.
    package let restore:
        @Sendable (_ copy: String, _ path: String, Currency?) async throws(LedgerError) ->
            Restoration
    package let simulatedTags: any SimulatedTags
    package let readers: any ReaderInventory
    /// The doors to the services. Making them asks nobody anything.
    package let services: @Sendable (ServiceSettings) -> Services
    package let surroundings:
        @Sendable (
            _ progress: @escaping @Sendable (Station.Progress) -> Void
        ) -> Station.Surroundings

    package init(
        openReader:
            @escaping @Sendable (String?, String, ReaderUse) async throws(ReaderError) ->
            any TagReader,
        openLedger:
            @escaping @Sendable (String, Currency?, Bool) async throws(LedgerError) ->
            any LedgerStore,
        backUp: @escaping @Sendable (String, String) async throws(LedgerError) -> Void,
        restore:
            @escaping @Sendable (String, String, Currency?) async throws(LedgerError) ->
            Restoration,
        simulatedTags: any SimulatedTags,
        readers: any ReaderInventory,
        services: @escaping @Sendable (ServiceSettings) -> Services,
        surroundings:
            @escaping @Sendable (
                @escaping @Sendable (Station.Progress) -> Void
            ) -> Station.Surroundings
    ) {
        self.openReader = openReader
        self.openLedger = openLedger
        self.backUp = backUp
        self.restore = restore
        self.simulatedTags = simulatedTags
        self.readers = readers
        self.services = services
        self.surroundings = surroundings
    }
}

extension Drivers {
    /// The same for somebody who works beside others with one reader and one ledger, which are open
    /// already, and tells them how far the work is.
    package func sharing(
        _ reader: any TagReader, _ ledger: any LedgerStore,
        _ listener: @escaping @Sendable (Station.Progress) -> Void
    ) -> Drivers {
        Drivers(
            openReader: { _, _, _ in reader }, openLedger: { _, _, _ in ledger }, backUp: backUp,
            restore: restore, simulatedTags: simulatedTags, readers: readers,
            services: services,
            surroundings: { [surroundings] progress in
                surroundings {
                    listener($0)
                    progress($0)
                }
            })
    }
}

/// The services that a card can be used with.
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

/// What a reader is opened for.
package enum ReaderUse: Sendable {
    /// One tap. Whatever ends it, the next one settles it.
    case tap
    /// Card after card, all day: it has to outlive its own driver and its own cable.
    case watch
    /// The same, also where no reader is there yet.
    case counter
}

/// The readers of this machine, before any of them is opened.
package protocol ReaderInventory: Sendable {
    /// What there is and what holds it, also at the serial port that is named. Opens no
    /// reader and disturbs none; asking pcscd starts it where systemd listens for it.
    func survey(naming name: String?) async -> ReaderSurvey
    /// What an open reader says of itself: its chip and firmware; nil where it says nothing.
    func firmware(of reader: any TagReader) async -> String?
}

/// The drawer of a simulated reader.
package protocol SimulatedTags: Sendable {
    /// Puts tags onto the reader, by number or make; a make means a new one from the factory,
    /// nothing at all the tag that lay there last.
    func put(_ which: [String], _ reader: String) throws(TapcardError) -> [SimulatedTag]
    func take(_ reader: String) throws(TapcardError)
    /// Arms a fault; nil disarms.
    func tear(_ fault: String?, _ reader: String) throws(TapcardError)
    func list(_ reader: String) throws(TapcardError) -> (tags: [SimulatedTag], fault: String?)
}

/// One tag of the drawer.
package struct SimulatedTag: Sendable, Hashable {
    package let uid: String
    package let chip: String
    package let isOnReader: Bool

    package init(uid: String, chip: String, isOnReader: Bool) {
        self.uid = uid
        self.chip = chip
        self.isOnReader = isOnReader
    }
}
