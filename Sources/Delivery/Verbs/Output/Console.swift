import TapcardDomain

/// A command's output. A terminal and a pipe get the same text, but only a terminal gets color,
/// check marks, and spinners.
package struct Console: Sendable {
    /// Writes all bytes to standard output, or throws. Only `StandardOutput` calls this.
    let write: @Sendable ([UInt8]) throws(OutputError) -> Void
    package private(set) var writeError: @Sendable (String) -> Void
    package let isTerminal: Bool
    package let isErrorTerminal: Bool
    /// The terminal's current width in columns; nil if there is no terminal or the width is
    /// unknown.
    package let columns: @Sendable () -> Int?
    /// Prompts for a line with hidden input, such as a password; nil if standard input is not a
    /// terminal.
    package let promptHidden: HiddenPrompt?
    /// Whether readable text must be ASCII; JSON is not affected.
    private(set) var isASCIIOnly = false

    package init(
        isTerminal: Bool, isErrorTerminal: Bool, columns: @escaping @Sendable () -> Int?,
        promptHidden: HiddenPrompt? = nil,
        write: @escaping @Sendable ([UInt8]) throws(OutputError) -> Void,
        writeError: @escaping @Sendable (String) -> Void
    ) {
        (self.isTerminal, self.isErrorTerminal) = (isTerminal, isErrorTerminal)
        (self.columns, self.promptHidden) = (columns, promptHidden)
        (self.write, self.writeError) = (write, writeError)
    }

    /// This console with ASCII output, for a locale whose encoding has only ASCII.
    package var inASCII: Console {
        var console = self
        console.writeError = { [writeError] in writeError($0.ascii) }
        console.isASCIIOnly = true
        return console
    }

    /// A console without a terminal or standard output; errors still go to this console's standard
    /// error.
    package var silent: Console {
        Console(
            isTerminal: false, isErrorTerminal: false, columns: { nil }, write: { _ in },
            writeError: writeError)
    }
}

/// A prompt for hidden input. It takes the text to show and returns what was typed, or nil if the
/// user canceled (Ctrl-D, Escape, or invalid text).
package typealias HiddenPrompt = @Sendable (String) async -> String?
