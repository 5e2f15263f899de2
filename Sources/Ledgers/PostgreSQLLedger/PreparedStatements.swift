/// The statements that the server has prepared for a connection, and their names.
///
/// A batch ends at its first refusal, so a preparation may not have been executed until the server
/// confirms it. For this reason, a name counts only once it is confirmed, and it is never reused
/// for another attempt.
struct PreparedStatements {
    private static let maxCount = 512

    private var confirmed: [String: String] = [:]
    /// The names in batches that the server has not responded to yet.
    private var sent: [String: String] = [:]
    private var count = 0

    /// The name for a statement, and whether it has to be prepared first; nil once there are many
    /// statements, because each one takes up server memory.
    mutating func name(of sql: String) -> (name: String, isNew: Bool)? {
        if let name = confirmed[sql] ?? sent[sql] { return (name, false) }
        guard count < PreparedStatements.maxCount else { return nil }
        // This is never decreased, not even after a failed preparation, so no name is reused.
        count += 1
        let name = "s\(count)"
        sent[sql] = name
        return (name, true)
    }

    /// Records that the server has prepared the statement.
    mutating func confirm(_ sql: String) { confirmed[sql] = sent[sql] }

    /// Drops the names that were not confirmed by the end of their batch.
    mutating func endBatch() { sent = [:] }
}
