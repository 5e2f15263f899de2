import LibNFCReader
import PCSCReader
import ReaderDiagnosis
import Tags
import Verbs

/// The readers connected to this machine, as reported by the bus and the drivers.
struct MachineReaders: ReaderInventory {
    static let all = MachineReaders()

    /// Lists the readers without opening them. If systemd listens on pcscd's socket, the query
    /// starts pcscd.
    func survey(naming name: ReaderName?) async -> ReaderSurvey {
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
            case .unusable(let reason): .unusable(why: reason)
            }
        return survey
    }

    /// The chip and firmware of an open reader, from its driver.
    func firmware(of reader: any TagReader) async -> String? {
        (reader as? LibNFCReader)?.firmware
    }
}
