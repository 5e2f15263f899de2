package import Tags

/// Reads CFG0 and CFG1 of a chip. A chip without these pages cannot protect anything.
package struct ReadConfiguration: TagProcedure {
    private let page: UInt8

    /// `nil` for a chip without these pages.
    package init?(_ chip: Type2Chip) {
        guard let page = chip.configurationPage else { return nil }
        self.page = page
    }

    package mutating func next(after event: TagEvent) -> TagStep<AccessConfiguration> {
        switch event {
        case .begin, .selected: return .exchange(Type2Command.read(page).frame)
        case .answer(let answer):
            guard let (cfg0, cfg1) = ReadConfiguration.pages(answer) else {
                return .fail(
                    CardStoreError(.garbled, "the tag's response has the wrong length"))
            }
            return .finish(AccessConfiguration(cfg0, cfg1))
        case .failure(let kind):
            return .fail(CardStoreError(.reader(kind), "the tag's settings could not be read"))
        }
    }

    /// Extracts CFG0 and CFG1 from a response to READ, which returns four pages. The last two, PWD
    /// and PACK, always read as zeros.
    static func pages(_ answer: [UInt8]) -> (cfg0: Page, cfg1: Page)? {
        guard answer.count == 16, let cfg0 = Page(answer[0..<4]), let cfg1 = Page(answer[4..<8])
        else { return nil }
        return (cfg0, cfg1)
    }
}
