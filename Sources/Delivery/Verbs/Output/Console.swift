import StyledText
import TapcardDomain
package import TerminalControl

/// Where a command's words go. What a person sees on a terminal and what a program reads from a
/// pipe are the same words; colour, the check mark and the spinner are for terminals only.
package struct Console: Sendable {
    /// Writes all of it to standard output, or says why not. `StandardOutput` alone calls it.
    let write: @Sendable ([UInt8]) throws(OutputError) -> Void
    package let writeError: @Sendable (String) -> Void
    package let isTerminal: Bool
    package let isErrorTerminal: Bool
    /// The terminal's size at this moment; nil where there is none, or it does not say.
    package let size: @Sendable () -> TerminalSize?
    /// The keyboard, where there is one that a person can be asked at.
    package let keyboard: (any InteractiveTerminal)?
    /// Whether words for people must be of ASCII.
    private(set) var knowsASCIIAlone = false

    package init(
        isTerminal: Bool, isErrorTerminal: Bool, size: @escaping @Sendable () -> TerminalSize?,
        keyboard: (any InteractiveTerminal)? = nil,
        write: @escaping @Sendable ([UInt8]) throws(OutputError) -> Void,
        writeError: @escaping @Sendable (String) -> Void
    ) {
        self.keyboard = keyboard
        self.isTerminal = isTerminal
        self.isErrorTerminal = isErrorTerminal
        self.size = size
        self.write = write
        self.writeError = writeError
    }

    /// The same for a locale without any other letters.
    package var inASCII: Console {
        var console = Console(
            isTerminal: isTerminal, isErrorTerminal: isErrorTerminal, size: size,
            keyboard: keyboard, write: write, writeError: { [writeError] in writeError($0.ascii) })
        console.knowsASCIIAlone = true
        return console
    }

    /// One at which nobody sits; what has to be said beside an answer is said on this one.
    package var silent: Console {
        Console(
            isTerminal: false, isErrorTerminal: false, size: { nil }, write: { _ in },
            writeError: writeError)
    }
}

/// How many characters a terminal has room for.
package struct TerminalSize: Sendable, Hashable {
    package let columns: Int
    package let rows: Int

    package init(columns: Int, rows: Int) {
        (self.columns, self.rows) = (columns, rows)
    }
}
