import TapcardCore
import TextCodecs

/// What lies on the reader.
struct LyingCard: Sendable {
    let session: Int
    /// Nil where it could not be found out.
    let uid: String?
    /// Both nil where it is being read anew.
    var read: JSONValue?
    var problem: TapcardError?

    /// It lies there still, and may be another than it was.
    mutating func forget() { (read, problem) = (nil, nil) }

    var document: JSONValue {
        [
            "session": .number(String(session)), "read": read ?? .null,
            "problem": problem.map { Problem($0).document } ?? .null,
        ]
    }
}
