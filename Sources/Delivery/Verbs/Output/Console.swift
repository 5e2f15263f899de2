import StyledText
import TapcardDomain
package import TerminalControl

/// The output of a command. A terminal and a pipe get the same words; colour, check mark and
/// spinner are for terminals only.
package struct Console: Sendable {
    /// Writes all bytes to standard output or throws. Only `StandardOutput` calls it.
    let write: @Sendable ([UInt8]) throws(OutputError) -> Void
    package private(set) var writeError: @Sendable (String) -> Void
    package let isTerminal: Bool
    package let isErrorTerminal: Bool
    /// The current size of the terminal; nil without a terminal or a known size.
    package let size: @Sendable () -> TerminalSize?
    /// The keyboard, if a person can answer questions there.
    package let keyboard: (any InteractiveTerminal)?
    /// Whether text for people must be ASCII.
    private(set) var knowsASCIIAlone = false

    package init(
        isTerminal: Bool, isErrorTerminal: Bool, size: @escaping @Sendable () -> TerminalSize?,
        keyboard: (any InteractiveTerminal)? = nil,
        write: @escaping @Sendable ([UInt8]) throws(OutputError) -> Void,
        writeError: @escaping @Sendable (String) -> Void
    ) {
        (self.isTerminal, self.isErrorTerminal, self.size) = (isTerminal, isErrorTerminal, size)
        (self.keyboard, self.write, self.writeError) = (keyboard, write, writeError)
    }

    /// This console for a locale that has ASCII alone.
    package var inASCII: Console {
        var console = self
        console.writeError = { [writeError] in writeError($0.ascii) }
        console.knowsASCIIAlone = true
        return console
    }

    /// A console without terminal and standard output; errors still go to this one.
    package var silent: Console {
        Console(
            isTerminal: false, isErrorTerminal: false, size: { nil }, write: { _ in },
            writeError: writeError)
    }
}

/// The size of a terminal in characters.
package struct TerminalSize: Sendable, Hashable {
    package let columns: Int
    package let rows: Int

    package init(columns: Int, rows: Int) {
        (self.columns, self.rows) = (columns, rows)
    }
}
