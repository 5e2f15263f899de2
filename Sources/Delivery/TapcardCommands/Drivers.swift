public import Ledger
public import ReaderDiagnosis
public import ServicePorts
public import TagReading
public import TapcardCore
public import TapcardDomain

/// What the commands need of the world and do not know how to make: the executable, which knows
/// every driver, hands it to them.
public struct Drivers: Sendable {
    /// Opens the reader with this name; nil for whatever is plugged in. A simulated one without a
    /// file of its own has one in the folder.
    public let openReader:
        @Sendable (String?, _ folder: String, ReaderUse) async throws(ReaderError) ->
            any TagReader
    /// Opens the ledger at a path; whether one is made where there is none is the third.
    public let openLedger:
        @Sendable (_ path: String, Currency?, _ mayMake: Bool) async throws(LedgerError) ->
            any LedgerStore
    /// Copies the ledger while it is in use.
    public let backUp: @Sendable (_ path: String, _ copy: String) async throws(LedgerError) -> Void
    /// Puts a copy in the ledger's place.
    public let restore:
        @Sendable (_ copy: String, _ path: String, Currency?) async throws(LedgerError) ->
            Restoration
    public let standIns: any ServiceStandIns
    public let simulatedTags: any SimulatedTags
    public let readers: any ReaderInventory
    public let emulation: any ReaderEmulation
    public let counterPages: any CounterPages
    /// The doors to the services. Making them asks nobody anything.
    public let services: @Sendable (ServiceSettings) -> Services
    public let surroundings:
        @Sendable (
            _ progress: @escaping @Sendable (Station.Progress) -> Void
        ) -> Station.Surroundings

    public init(
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
        standIns: any ServiceStandIns,
        simulatedTags: any SimulatedTags,
        readers: any ReaderInventory,
        emulation: any ReaderEmulation,
        counterPages: any CounterPages,
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
        self.standIns = standIns
        self.simulatedTags = simulatedTags
        self.readers = readers
        self.emulation = emulation
        self.counterPages = counterPages
        self.services = services
        self.surroundings = surroundings
    }
}

extension Drivers {
    /// The same for somebody who works beside others with one reader and one ledger, which are open
    /// already, and tells them how far the work is.
    func sharing(
        _ reader: any TagReader, _ ledger: any LedgerStore,
        _ listener: @escaping @Sendable (Station.Progress) -> Void
    ) -> Drivers {
        Drivers(
            openReader: { _, _, _ in reader }, openLedger: { _, _, _ in ledger }, backUp: backUp,
            restore: restore, standIns: standIns, simulatedTags: simulatedTags, readers: readers,
            emulation: emulation, counterPages: counterPages, services: services,
            surroundings: { [surroundings] progress in
                surroundings {
                    listener($0)
                    progress($0)
                }
            })
    }
}

/// The services that a card can be used with.
public struct Services: Sendable {
    public let activation: any ActivationService
    public let lottery: any LotteryService
    public let mastermind: any MastermindService

    public init(
        activation: any ActivationService, lottery: any LotteryService,
        mastermind: any MastermindService
    ) {
        (self.activation, self.lottery, self.mastermind) = (activation, lottery, mastermind)
    }
}

/// What a reader is opened for.
public enum ReaderUse: Sendable {
    /// One tap. Whatever ends it, the next one settles it.
    case tap
    /// Card after card, all day: it has to outlive its own driver and its own cable.
    case watch
    /// The same, also where no reader is there yet.
    case counter
}

/// The readers of this machine, before any of them is opened.
public protocol ReaderInventory: Sendable {
    /// What there is and what holds it, also at the serial port that is named. Opens no
    /// reader and disturbs none; asking pcscd starts it where systemd listens for it.
    func survey(naming name: String?) async -> ReaderSurvey
    /// What an open reader says of itself: its chip and firmware; nil where it says nothing.
    func firmware(of reader: any TagReader) async -> String?
}

/// The drawer of a simulated reader.
public protocol SimulatedTags: Sendable {
    /// Puts tags onto the reader, by number or make; a make means a new one from the factory,
    /// nothing at all the tag that lay there last.
    func put(_ which: [String], _ reader: String) throws(TapcardError) -> [SimulatedTag]
    func take(_ reader: String) throws(TapcardError)
    /// Arms a fault; nil disarms.
    func tear(_ fault: String?, _ reader: String) throws(TapcardError)
    func list(_ reader: String) throws(TapcardError) -> (tags: [SimulatedTag], fault: String?)
}

/// One tag of the drawer.
public struct SimulatedTag: Sendable, Hashable {
    public let uid: String
    public let chip: String
    public let isOnReader: Bool

    public init(uid: String, chip: String, isOnReader: Bool) {
        self.uid = uid
        self.chip = chip
        self.isOnReader = isOnReader
    }
}
