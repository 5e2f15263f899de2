import LibNFCReader
import PCSCReader
import ReaderDiagnosis
import TagReading
import TapcardCommands
import USBReaderDiscovery

/// The readers of this machine: what the bus shows, and what the drivers say when they are asked.
struct MachineReaders: ReaderInventory {
    static let all = MachineReaders(
        libnfcVersion: { try? LibNFCReader.libraryVersion() },
        smartCardReaders: { try? await PCSCReader.connectedReaders() },
        firmware: { reader in (reader as? LibNFCReader)?.firmware })

    /// The version of libnfc; nil where it is missing. Not asked without a closure.
    var libnfcVersion: (@Sendable () async -> String?)?
    /// The names of pcscd's readers; nil where pcscd does not answer. Not asked without a closure,
    /// nor where its socket is not there.
    var smartCardReaders: (@Sendable () async -> [String]?)?
    /// Chip and firmware of an open reader, from the driver that knows its kind.
    var firmware: (@Sendable (any TagReader) async -> String?)?

    func survey(naming name: String?) async -> ReaderSurvey {
        let discovery = ReaderDiscovery()
        var survey = await discovery.survey()
        if let path = name.flatMap(SerialPort.path),
            !survey.ports.contains(where: { $0.node.path == path }),
            let port = discovery.port(at: path)
        {
            survey.ports.append(port)
        }
        if let libnfcVersion {
            survey.libnfc = await libnfcVersion().map { .version($0) } ?? .missing
        }
        if let smartCardReaders, survey.smartCardService != .absent {
            survey.smartCardReaders = await smartCardReaders()
        }
        return survey
    }

    func firmware(of reader: any TagReader) async -> String? { await firmware?(reader) }
}
