/// The statements that the server has prepared for a connection, and their names.
///
/// A preparation that was sent is carried out or not: a batch ends at its first refusal. So a name
/// counts only once the server has confirmed it, and is never used for another attempt.
struct KeptStatements {
    private static let most = 512

    private var confirmed: [String: String] = [:]
    /// The names in batches whose answers are not there.
    private var sent: [String: String] = [:]
    private var count = 0

    /// The name for a statement, and whether it has to be prepared first. Nil once there are many:
    /// each costs the server memory.
    mutating func name(of sql: String) -> (name: String, isNew: Bool)? {
        if let name = confirmed[sql] ?? sent[sql] { return (name, false) }
        guard count < KeptStatements.most else { return nil }
        count += 1
        let name = "s\(count)"
        sent[sql] = name
        return (name, true)
    }

    /// The server has prepared the statement.
    mutating func confirm(_ sql: String) { confirmed[sql] = sent[sql] }

    /// The batch is over: what was not confirmed is not there.
    mutating func endBatch() { sent = [:] }
}
