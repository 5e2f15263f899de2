import Foundation
import RemoteServices
import TapcardDomain

/// A scripted lottery with a cache in a folder of its own.
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
        at address: String = "http://lottery.example", rules: LotteryRules = .standard
    ) throws -> RemoteLottery {
        RemoteLottery(
            try ServiceAddress(address), through: transport, cache: AnswerCache(folder: folder),
            rules: rules, in: transport.dependencies)
    }

    func draws(forgetting: Bool = false) async throws -> Fetched<DrawList> {
        try await lottery().draws(forgetting: forgetting)
    }

    /// The file that caches the draws.
    var file: String { "\(folder)/draws" }

    /// The header lines of the last request.
    var lines: [String] {
        transport.requests.last?.headers.map { "\($0.name): \($0.value)" } ?? []
    }
}
