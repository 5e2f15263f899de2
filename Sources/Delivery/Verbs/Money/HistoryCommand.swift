import Ledger
import TapcardCore
import TapcardDomain
import TextCodecs

enum HistoryCommand {
    static func history(in session: Session) async throws(TapcardError) -> Report {
        let ledger = try await session.ledger(making: false)
        let card = session[.card]
        guard let last = session[.last] else {
            return try await wholeHistory(of: card, from: ledger, in: session)
        }
        // A limited list fits in memory, so an ordinary report can hold it.
        let lines = try await History.lines(of: card, last: last, in: ledger)
        let attempts = try await History.activations(of: card, beside: lines, in: ledger)
        let columns = session.console.columns()
        let texts = HistoryText.merged(
            lines.map(HistoryText.init), attempts.map(HistoryText.init)
        ).map { $0.line(within: columns) }
        return Report(
            ["entries": lines.document, "activations": attempts.document],
            texts.isEmpty ? [emptyHistory] : texts, isPlain: true)
    }

    private static let emptyHistory = "No activity yet."

    /// Prints the history page by page, because years of entries may not fit in memory.
    private static func wholeHistory(
        of card: CardUID?, from ledger: any LedgerStore, in session: Session
    ) async throws(TapcardError) -> Report {
        let columns = session.console.columns()
        try await History.whole(of: card, in: ledger) { history throws(LedgerError) in
            var pages = OutputPages(session.output, isUTF8: session.outputOptions.isJSON)
            if session.outputOptions.isJSON {
                try pages.write(&history)
            } else if !session.outputOptions.isQuiet {
                try pages.write(&history, { $0.line(within: columns) }, orSay: emptyHistory)
            }
            pages.flush()
        }
        return .nothing
    }
}

/// Output that is written page by page, until the receiving program closes it.
struct OutputPages {
    private let output: StandardOutput
    private let isUTF8: Bool
    private var page = ""
    private(set) var isOpen = true
    private static let pageSizeInBytes = 65_536

    init(_ output: StandardOutput, isUTF8: Bool) { (self.output, self.isUTF8) = (output, isUTF8) }

    mutating func append(_ text: String) {
        page += text
        if page.utf8.count >= OutputPages.pageSizeInBytes { flush() }
    }

    mutating func flush() {
        if isOpen, !page.isEmpty {
            // JSON and CSV are UTF-8 in every locale.
            isOpen = isUTF8 ? output.write(Array(page.utf8)) : output.write(page)
        }
        page = ""
    }

    /// Writes the same JSON document that a report would produce.
    mutating func write(_ history: inout History) throws(LedgerError) {
        var separator = #"{"result":"done","entries":["#
        // Once the receiver has closed the output, the rest of the ledger need not be read.
        while isOpen, let line = try history.nextLine() {
            append(separator + line.document.text)
            separator = ","
        }
        // If there are no entries, `separator` still holds the start of the document.
        append(separator == "," ? #"],"activations":["# : separator + #"],"activations":["#)
        separator = ""
        while isOpen, let attempt = try history.nextAttempt() {
            append(separator + attempt.document.text)
            separator = ","
        }
        append("]}\n")
    }

    mutating func write(
        _ history: inout History, _ line: (HistoryText) -> String, orSay empty: String
    ) throws(LedgerError) {
        // Merges two streams, both sorted by time, without holding either in memory.
        var request = try history.nextAttempt()
        var isEmpty = true
        while isOpen, let done = try history.nextLine().map(HistoryText.init) {
            while let first = request.map(HistoryText.init), first.isBefore(done) {
                append(line(first) + "\n")
                request = try history.nextAttempt()
            }
            append(line(done) + "\n")
            isEmpty = false
        }
        while isOpen, let first = request.map(HistoryText.init) {
            append(line(first) + "\n")
            request = try history.nextAttempt()
            isEmpty = false
        }
        if isEmpty { append(empty + "\n") }
    }
}
