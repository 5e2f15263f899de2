import OperatingSystem
import ReaderDiagnosis
package import TapcardCore

extension Settings {
    /// The maximum number of readers on one server. Use a second server for more.
    private static let maximumReaders = 16

    /// These settings for each of several readers, one per till. The refusal contains `meaning`.
    package func forReaders(
        _ names: [String], orSay meaning: String
    ) throws(TapcardError) -> [Settings] {
        func refusal(_ what: String, _ advice: String) -> TapcardError {
            TapcardError(.usage, what, meaning: meaning, advice: advice)
        }
        guard names.count <= Settings.maximumReaders else {
            throw refusal(
                "A server can use at most \(Settings.maximumReaders) readers, but \(names.count) were "
                    + "given.",
                "Start a second server for the others.")
        }
        var all: [Settings] = []
        for (index, name) in names.enumerated() {
            let others = names[..<index] + names[(index + 1)...]
            let own = try using(reader: name, nextTo: Array(others))
            guard own.readerIsSimulated == readerIsSimulated else {
                throw refusal(
                    "Simulated and real readers cannot be used together, because their keys and "
                        + "ledgers are separate.",
                    "Start another tapcard for the simulated readers.")
            }
            if let duplicate = all.first(where: { $0.readerPlace == own.readerPlace }) {
                throw refusal(
                    duplicate.readerText == name
                        ? "The reader \(name) was given twice."
                        : "\(duplicate.readerText) and \(name) are two names for the same reader.",
                    "Each till needs its own reader, so list each reader only once.")
            }
            all.append(own)
        }
        return all
    }

    /// A copy of these settings for the till with this name.
    package func atTill(_ name: String) -> Settings {
        var settings = self
        settings.requester.till = try? TillName(name)
        return settings
    }

    /// A copy of these settings for the till with this name, whose reader is on another machine.
    package func atRemoteTill(_ name: String, isReaderTrusted: Bool) -> Settings {
        var settings = atTill(name)
        (settings.readerIsRemote, settings.isReaderTrusted) = (true, isReaderTrusted)
        return settings
    }

    /// The reader's name as given on the command line; empty for the first usable reader.
    package var readerText: String { reader?.text ?? "" }

    /// The reader's location. Two names with the same location refer to the same reader.
    private var readerPlace: String {
        func resolved(_ path: String) -> String {
            (try? DurableFile(path).resolved().path) ?? path
        }
        // A file that does not exist yet cannot be resolved, but its folder can.
        func target(_ path: String) -> String {
            let path = path.contains("/") ? path : "./" + path
            let slash = path.lastIndex(of: "/") ?? path.startIndex
            return resolved(resolved(String(path[...slash])) + path[slash...])
        }
        return (reader.flatMap(simulatedFile) ?? reader?.path).map(target) ?? readerText
    }

    /// The file of a simulated reader; nil for a real reader.
    func simulatedFile(of reader: ReaderName) -> String? {
        guard case .simulated(let file) = reader else { return nil }
        return file ?? Settings.simulationFile(in: simulatedFolder)
    }

    /// The files of the other tills' simulated readers.
    var otherSimulatedFiles: [String] { otherReaders.compactMap(simulatedFile) }
}
