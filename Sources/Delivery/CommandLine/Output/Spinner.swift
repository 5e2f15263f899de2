import Verbs

/// A line with a spinner, shown while the user waits; nothing is shown unless standard error is a
/// terminal.
///
/// All calls to `show` and `stop` go through one queue, so a line requested before a stop cannot
/// appear after the result, and a slow terminal never delays work on a card.
struct Spinner: Sendable {
    private enum Event: Sendable {
        case show(String)
        case tick
        case stop(CheckedContinuation<Void, Never>)
    }

    private static let frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
    private static let interval = Duration.milliseconds(100)
    private static let clearLine = "\r\u{1B}[K"

    private let queue: AsyncStream<Event>.Continuation?

    init(_ console: Console, isEnabled: Bool) {
        guard isEnabled, console.isErrorTerminal else {
            queue = nil
            return
        }
        let (events, queue) = AsyncStream.makeStream(of: Event.self)
        self.queue = queue
        Task { await Spinner.draw(events, on: console) }
        Task {
            while true {
                do { try await Task.sleep(for: Spinner.interval) } catch { return }
                if case .terminated = queue.yield(.tick) { return }
            }
        }
    }

    func show(_ text: String) { queue?.yield(.show(text)) }

    /// Removes the line and returns when it is gone.
    func stop() async {
        guard let queue else { return }
        await withCheckedContinuation { done in
            // A finished queue never resumes the caller, so this method does it here.
            if case .terminated = queue.yield(.stop(done)) { done.resume() }
        }
    }

    /// Stops permanently; no line appears afterward.
    func finish() async {
        await stop()
        queue?.finish()
    }

    private static func draw(_ events: AsyncStream<Event>, on console: Console) async {
        var text: String?
        var frame = 0
        for await event in events {
            switch event {
            case .show(let new):
                let isFirst = text == nil
                text = new
                // New text is drawn with the next frame, so that the spinner turns evenly.
                if !isFirst { continue }
            case .tick: break
            case .stop(let done):
                if text != nil { console.writeError(clearLine) }
                text = nil
                done.resume()
            }
            guard let text else { continue }
            console.writeError("\(clearLine)\(frames[frame % frames.count]) \(text)")
            frame += 1
        }
    }
}
