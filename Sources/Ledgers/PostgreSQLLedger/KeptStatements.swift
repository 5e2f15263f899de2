/// The statements that the server has prepared for a connection, and their names.
///
/// Whether a preparation was carried out is uncertain until it is confirmed, since a batch ends at
/// its first refusal. So a name counts only once confirmed, and is never reused for another
/// attempt.
struct KeptStatements {
    private static let most = 512

    private var confirmed: [String: String] = [:]
    /// The names in batches that have not been answered.
    private var sent: [String: String] = [:]
    private var count = 0

    /// The name for a statement, and whether it has to be prepared first; nil once there are many,
    /// since each costs the server memory.
    mutating func name(of sql: String) -> (name: String, isNew: Bool)? {
        if let name = confirmed[sql] ?? sent[sql] { return (name, false) }
        guard count < KeptStatements.most else { return nil }
        count += 1
        let name = "s\(count)"
        sent[sql] = name
        return (name, true)
    }

    /// Notes that the server has prepared the statement.
    mutating func confirm(_ sql: String) { confirmed[sql] = sent[sql] }

    /// Forgets what was not confirmed by the end of its batch.
    mutating func endBatch() { sent = [:] }
}
