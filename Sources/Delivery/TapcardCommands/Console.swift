/// Where a command's words go. What a person sees on a terminal and what a program reads from a
/// pipe are the same words; colour, the check mark and the spinner are for terminals only.
public struct Console: Sendable {
    public let write: @Sendable (String) -> Void
    public let writeError: @Sendable (String) -> Void
    public let isTerminal: Bool
    public let isErrorTerminal: Bool

    public init(
        isTerminal: Bool, isErrorTerminal: Bool, write: @escaping @Sendable (String) -> Void,
        writeError: @escaping @Sendable (String) -> Void
    ) {
        self.isTerminal = isTerminal
        self.isErrorTerminal = isErrorTerminal
        self.write = write
        self.writeError = writeError
    }
}

/// How text may look.
enum Style: String {
    case good = "32"
    case bad = "31"
    case warning = "33"
    case strong = "1"
    case faint = "2"

    func applied(to text: String, _ isWanted: Bool) -> String {
        isWanted ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }
}

/// A line that turns while someone is waited for. On anything but a terminal it says nothing.
actor Spinner {
    private static let frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
    private static let interval = Duration.milliseconds(100)
    private static let clearLine = "\r\u{1B}[K"

    private let console: Console
    private let isEnabled: Bool
    private var text = ""
    private var task: Task<Void, Never>?

    init(_ console: Console, isEnabled: Bool) {
        self.console = console
        self.isEnabled = isEnabled && console.isErrorTerminal
    }

    func show(_ text: String) {
        guard isEnabled else { return }
        self.text = text
        if task != nil { return }
        task = Task {
            var frame = 0
            while !Task.isCancelled {
                draw(frame)
                frame = (frame + 1) % Spinner.frames.count
                do { try await Task.sleep(for: Spinner.interval) } catch { return }
            }
        }
    }

    func stop() {
        guard let task else { return }
        task.cancel()
        self.task = nil
        console.writeError(Spinner.clearLine)
    }

    private func draw(_ frame: Int) {
        guard task != nil else { return }
        console.writeError("\(Spinner.clearLine)\(Spinner.frames[frame]) \(text)")
    }
}
