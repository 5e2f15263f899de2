/// What a command that runs until it is ended waits for.
enum Cancellation {
    private static let aDay = Duration.seconds(86_400)

    /// Returns when the task is cancelled.
    static func wait() async {
        while !Task.isCancelled {
            // It throws when the task is cancelled, which is what is waited for.
            try? await Task.sleep(for: aDay)
        }
    }
}
