public import TapcardDomain

/// The memory layout of one chip model. Models are rows in a table, not separate types.
public struct Type2Chip: Hashable, Sendable {
    /// The model, for a chip in the table; `nil` for any other chip, which can only be read.
    public let model: Chip?
    /// The number of pages, including page 0.
    public let pageCount: Int
    /// The user pages: the pages that the capability container covers, and any pages between them
    /// and the lock page.
    public let userPages: ClosedRange<UInt8>
    /// The page that holds the lock bits for pages 10h and up.
    public let dynamicLockPage: UInt8?
    /// The page that holds CFG0; the pages with CFG1, PWD, and PACK follow it.
    public let configurationPage: UInt8?
    /// The response to GET_VERSION; `nil` for a chip that does not support the command.
    public let version: [UInt8]?
    /// Page 3 of a chip as it leaves the factory.
    public let factoryCapability: Page
    /// The user pages of a chip as it leaves the factory, starting at page 4; pages that are not
    /// listed are zero.
    public let factoryUser: [Page]
    /// User pages that must stay zero, because Android interprets them as lock bits.
    public let zeroPages: ClosedRange<UInt8>?
    /// The number of pages per dynamic lock bit.
    let pagesPerDynamicLock: UInt8
    /// The UID and signature of a real chip, for simulated tags; `nil` if none is publicly known.
    public let signedExample: SignedExample?

    /// The chip's name, as shown to users and written in dumps.
    public var name: String { model?.name ?? Type2Chip.otherName }

    /// Whether the chip supports FAST_READ and the other commands of the NTAG21x family.
    public var hasFastRead: Bool { version != nil }

    /// Whether the chip has an ``ASCIIMirror``.
    package var hasMirror: Bool { model != nil }

    /// The page that holds the password; `nil` for a chip that does not support passwords.
    public var passwordPage: UInt8? { configurationPage.map { $0 + 2 } }
    /// The page that holds PACK; `nil` for a chip that does not support passwords.
    public var packPage: UInt8? { configurationPage.map { $0 + 3 } }

    // Compared as `Int`, because a chip can have 256 pages, which a `UInt8` cannot hold.
    func contains(_ page: UInt8) -> Bool { Int(page) < pageCount }
}

extension Type2Chip {
    /// The chip with this GET_VERSION response.
    public init?(version: [UInt8]) {
        guard let chip = Type2Chip.known.first(where: { $0.version == version }) else { return nil }
        self = chip
    }

    /// The chip in the table with the name that the user typed, in upper or lower case.
    public init?(typed word: String) {
        guard let model = Chip(typed: word) else { return nil }
        self.init(model)
    }

    /// The chip in the table with this name, spelled as in dumps.
    init?(named name: Substring) {
        guard let model = Chip(rawValue: String(name)) else { return nil }
        self.init(model)
    }

    /// The name of every chip outside the table.
    package static let otherName = "Type 2 tag"

    /// The smallest chip outside the table, for a tag whose capability container does not specify a
    /// size.
    package static let unformatted = Type2Chip(
        model: nil, pageCount: 16, userPages: 4...15, dynamicLockPage: nil,
        configurationPage: nil, version: nil, factoryCapability: .zero, factoryUser: [],
        zeroPages: nil, pagesPerDynamicLock: 0, signedExample: nil)

    /// A read-only chip outside the table, known only by its capability container.
    ///
    /// `nil` if the container is invalid (magic E1h and major version 1 are required), or if its
    /// size is zero or exceeds what a one-byte page number can address.
    public static func other(capability: Page) -> Type2Chip? {
        let firstUserPage = 4
        // The container specifies the size in units of eight bytes, or two pages.
        let pageCount = firstUserPage + 2 * Int(capability[2])
        guard capability[0] == 0xE1, capability[1] >> 4 == 1, capability[2] > 0,
            let last = UInt8(exactly: pageCount - 1)
        else { return nil }
        return Type2Chip(
            model: nil, pageCount: pageCount, userPages: UInt8(firstUserPage)...last,
            dynamicLockPage: nil, configurationPage: nil, version: nil,
            factoryCapability: capability, factoryUser: [], zeroPages: nil, pagesPerDynamicLock: 0,
            signedExample: nil)
    }
}

extension Type2Chip: CustomStringConvertible {
    public var description: String { name }
}
