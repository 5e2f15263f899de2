import LibNFCReader
import PCSCReader
import ReaderDiagnosis
import TagReading
import USBReaderDiscovery
import Verbs

/// The readers of this machine: what the bus shows, and what the drivers say when they are asked.
struct MachineReaders: ReaderInventory {
    static let all = MachineReaders()

    /// Opens no reader. Asking pcscd starts it where systemd listens for it.
    func survey(naming name: String?) async -> ReaderSurvey {
        var survey = await ReaderDiscovery().survey(naming: name) {
            do throws(ReaderError) {
                return .readers(try await PCSCReader.connectedReaders())
            } catch {
                return .refusal(error.detail)
            }
        }
        survey.libnfc =
            switch LibNFCReader.libraryPresence() {
            case .missing: .missing
            case .usable(let version): .version(version)
            case .unusable(let why): .unusable(why: why)
            }
        return survey
    }

    /// Chip and firmware of an open reader, from the driver that knows its kind.
    func firmware(of reader: any TagReader) async -> String? {
        (reader as? LibNFCReader)?.firmware
    }
}
