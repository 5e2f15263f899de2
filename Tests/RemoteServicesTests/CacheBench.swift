import Foundation
import Games
import RemoteServices
import ServicePorts
import TapcardDomain

/// A lottery that is played, with a cache in a folder of its own.
final class CacheBench {
    let transport: ScriptedTransport
    let folder: String

    init(_ reply: ScriptedTransport.Reply) throws {
        transport = ScriptedTransport(reply)
        folder =
            FileManager.default.temporaryDirectory
            .appending(path: "tapcard-cache-\(UUID().uuidString)").path
    }

    deinit {
        // What is left of it lies in the folder for temporary files.
        try? FileManager.default.removeItem(atPath: folder)
    }

    func lottery(
        at address: String = "http://lottery.example", rules: LotteryRules = .standard,
        limits: HTTPCache.Limits = .init()
    ) throws -> RemoteLottery {
        RemoteLottery(
            try ServiceAddress(address), through: transport,
            cache: HTTPCache(folder: folder, limits: limits), rules: rules,
            in: transport.surroundings)
    }

    func draws(revalidating: Bool = false) async throws -> Fetched<DrawList> {
        try await lottery().draws(revalidating: revalidating)
    }

    /// The names of the files that are kept.
    var files: [String] {
        get throws {
            guard FileManager.default.fileExists(atPath: folder) else { return [] }
            return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        }
    }

    func read(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(filePath: "\(folder)/\(name)"))
    }

    /// Makes files that were written just now old: from the first second, the next one, and so on.
    /// The clock of a file system is too coarse to tell them apart.
    func age(toSecond second: Int) throws {
        let limit = Date(timeIntervalSince1970: 1_000_000)
        for name in try files {
            let path = "\(folder)/\(name)"
            let written = try FileManager.default.attributesOfItem(atPath: path)
            guard let date = written[.modificationDate] as? Date, date > limit else { continue }
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: Double(second))], ofItemAtPath: path
            )
        }
    }

    /// How many requests there have been, and the lines of the last one.
    var requestCount: Int { transport.requests.count }
    var lastConditions: [String] {
        transport.requests.last?.headers.map { "\($0.name): \($0.value)" } ?? []
    }
}
