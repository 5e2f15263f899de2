/// One result of a diagnosis, and the remedy for it.
public struct Finding: Sendable, Hashable {
    /// How important a finding is.
    public enum Severity: String, Sendable, CaseIterable {
        case ok, note, problem
    }

    /// The identifier of a finding, for programs.
    public enum ID: String, Sendable, CaseIterable {
        case usb
        case noUSB = "no-usb"
        case noReader = "no-reader"
        case notPluggedIn = "not-plugged-in"
        case libnfc
        case libnfcMissing = "libnfc-missing"
        case libnfcOther = "libnfc-other-version"
        case noPath = "no-path"
        case noSerialPort = "no-serial-port"
        case noBus = "no-bus"
        case ready
        case noNode = "no-node"
        case noPermission = "no-permission"
        case kernelModule = "kernel-module"
        case heldByPCSCD = "held-by-pcscd"
        case pcscdNear = "pcscd-near"
        case heldByProgram = "held-by-program"
        case pcscdMissing = "pcscd-missing"
        case pcscdUnusable = "pcscd-unusable"
        case notOffered = "not-offered"
        case unsupported = "not-supported"
        case serialPort = "serial-port"
        case bridgeWithoutPort = "bridge-without-port"
        case answers
        case cannotOpen = "cannot-open"
        case doesNotAnswer = "does-not-answer"
        case tag
        case noTag = "no-tag"
        case tagUnreadable = "tag-unreadable"
        case ledger
        case ledgerUnusable = "ledger-unusable"
        case ledgerUndeclared = "ledger-undeclared"
        case replica
        case replicaBehind = "replica-behind"
        case noReplica = "no-replica"
        case replicasHidden = "replicas-hidden"
        case tables
        case keysUnusable = "keys-unusable"
        case keysBehind = "keys-behind"
        case keyWaits = "key-waits"
        case clock
        case openOperations = "open-operations"
        case transactionAge = "transaction-age"
        case deadLinks = "dead-links"
        case lostOperation = "lost-operation"
        case journal
        case unbooked
        case snapshot
        case cardAddress = "card-address"
        case server
        case serverOffline = "server-offline"
        case serverCertificate = "server-certificate"
        case serverRefusal = "server-refusal"
        case connectionsUnusable = "connections-unusable"
        case proxy
    }

    /// One step of a remedy.
    public enum Step: Sendable, Hashable {
        /// A sentence to show.
        case say(String)
        /// A command line to run.
        case run(String)
    }

    public let id: ID
    public let severity: Severity
    /// The reader that the finding is about; `nil` if it is not about one reader.
    public let reader: ReaderName?
    public let what: String
    public let remedy: [Step]

    public init(
        _ id: ID, _ severity: Severity, reader: ReaderName? = nil, _ what: String,
        remedy: [Step] = []
    ) {
        self.id = id
        self.severity = severity
        self.reader = reader
        // A driver's message may already end with a period, so the sentence could end with two.
        self.what = what.hasSuffix("..") && !what.hasSuffix("...") ? String(what.dropLast()) : what
        self.remedy = remedy
    }
}
