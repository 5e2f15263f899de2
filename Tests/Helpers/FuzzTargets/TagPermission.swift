import CardCryptography
import Cards
import Ledger
import Tags
import TapcardDomain

/// The frames that the tag on the reader may receive, given the command under way and the ledger's
/// current row of its card. No answer of a tag, not even its genuine PACK, changes that.
struct TagPermission: Sendable {
    /// Use cases, by what they may do to a tag.
    enum Command: Sendable {
        /// Only looks: `read --no-resolve`, `tag info`, `tag dump`.
        case looking
        /// Resolves and changes what the ledger knows.
        case changing
        /// Also removes our password from a tag that is nobody's card: `tag unprotect`, and `issue`
        /// before it makes a card of it.
        case freeing
    }

    let command: Command
    let uid: [UInt8]
    let keys: KeyRing
    /// The ledger's row for the tag; nil for a tag that it does not know.
    let card: LedgerCard?
    /// The chip that the tag last claimed to be in this tap.
    let claimed: Type2Chip?
    /// The first byte of each page that was read in this tap, as last reported.
    let told: [UInt8: UInt8]

    func allows(_ frame: [UInt8]) -> Bool {
        switch try? Type2Command(frame: frame) {
        case .write(let page, let content): mayWrite(page, content)
        case .authenticate: maySendPassword
        case .compatibilityWrite, nil: false
        case .getVersion, .read, .fastRead, .readCounter, .readSignature, .halt: true
        }
    }

    /// Allows commands to a card that takes them: one that writes only to a card of the ledger on
    /// such a chip.
    func allows(command bytes: [UInt8]) -> Bool {
        !NTAG424Side.isWrite(bytes) || command != .looking && card?.chip == .ntag424
    }

    /// Allows a card's own pages once the ledger has the card, and of the settings only the page
    /// and content of the step that the ledger has noted.
    private func mayWrite(_ page: UInt8, _ content: Page) -> Bool {
        if command == .looking { return false }
        guard let card else {
            return command == .freeing
                && [CardProtection.switchingOff(keyID: 0), .clearingPassword(keyID: 0)]
                    .contains { step in isOf(step, page, content, claimed) }
        }
        return CardLayout(card.chip)?.pages.contains(page) ?? false
            || isOf(card.protection, page, content, Type2Chip(card.chip))
    }

    private func isOf(
        _ step: CardProtection, _ page: UInt8, _ content: Page, _ chip: Type2Chip?
    ) -> Bool {
        guard let first = chip?.configurationPage, page >= first else { return false }
        let place = page - first
        switch step {
        case .off, .on: return false
        case .switchingOn:
            return place == 0 && content == Page(0x04, 0, 0, 0x02)
                || place == 1 && isRelief(of: page, content)
        case .switchingOff: return place == 0 && content == Page(0x04, 0, 0, 0xFF)
        case .clearingPassword:
            return place == 2 && content == Page(0xFF, 0xFF, 0xFF, 0xFF)
                || place == 3 && content == .zero
        case .settingPassword(let keyID):
            guard let own = keys.entry(keyID)?.masters.password(uid: uid) else { return false }
            return place == 1 && isRelief(of: page, content)
                || place == 2 && content.bytes == own.password
                || place == 3 && (content == .zero || content.bytes == own.pack + [0, 0])
        }
    }

    /// Whether the write only clears the bits PROT and AUTHLIM of CFG1.
    private func isRelief(of page: UInt8, _ content: Page) -> Bool {
        content[0] & 0xC7 == 0 && told[page].map { content[0] & ~$0 == 0 } ?? false
    }

    /// Only to a tag that says it does not count wrong passwords, or that was just given this one.
    private var maySendPassword: Bool {
        if command == .looking { return false }
        if case .settingPassword? = card?.protection { return true }
        let chip = card.flatMap { Type2Chip($0.chip) } ?? claimed
        guard let first = chip?.configurationPage, let access = told[first + 1] else {
            return false
        }
        return access & 0x07 == 0
    }
}
