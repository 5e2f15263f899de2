import Foundation
import TestSupport

/// An answer in the exact form that its service documents.
enum AnswerFixture: String, CaseIterable {
    case activation = "activation.json"
    case draws = "draws.json"
    case tickets = "tickets.json"
    case login = "login.json"
    case start = "start.json"
    case guess = "guess.json"
    case ranking = "ranking.json"

    var bytes: [UInt8] {
        get throws {
            let folder = URL(filePath: Repository.path("fixtures/services"))
            return [UInt8](try Data(contentsOf: folder.appending(path: rawValue)))
        }
    }

    /// The answer with one text replaced, which must occur in it.
    func replacing(_ old: String, by new: String) throws -> [UInt8] {
        let text = String(decoding: try bytes, as: UTF8.self)
        guard text.contains(old) else { throw Missing(text: old) }
        return Array(text.replacing(old, with: new).utf8)
    }

    struct Missing: Error { let text: String }
}
