/// The access rules in CFG0 and CFG1.
public struct AccessConfiguration: Hashable, Sendable {
    /// AUTH0: the first page that requires the password. All later pages require it, too.
    public let firstProtected: UInt8
    /// PROT: reading also requires the password.
    public let protectsReading: Bool
    /// CFGLCK: CFG0 and CFG1 are permanently locked.
    public let isLocked: Bool
    /// NFC_CNT_EN: reads are counted.
    public let counts: Bool
    /// NFC_CNT_PWD_PROT: the count can be read only after authentication with the password.
    let protectsCounter: Bool
    /// AUTHLIM: the number of wrong passwords that permanently lock the tag; 0 for no limit.
    public let passwordLimit: Int
    /// The mirror set by MIRROR_CONF, MIRROR_PAGE, and MIRROR_BYTE; `nil` if it is off.
    package let mirror: ASCIIMirror?

    /// The page where the mirror starts; `nil` if it is off.
    public var mirrorPage: UInt8? {
        mirror.map { UInt8(truncatingIfNeeded: $0.start / Page.size) }
    }

    /// The AUTH0 value of a tag that protects nothing.
    public static let nothing: UInt8 = 0xFF
    /// The AUTH0 value that protects everything writable. If protection began at a later page,
    /// anyone with a phone could set the lock bits in page 2 and permanently ruin the card.
    public static let everything: UInt8 = 0x02

    /// The configuration of a chip without configuration pages, which protects nothing.
    static let open = AccessConfiguration(cfg0(firstProtected: nothing), .zero)

    init(of memory: TagMemory) {
        if let page = memory.chip.configurationPage {
            self.init(memory[page], memory[page + 1])
        } else {
            self = .open
        }
    }

    /// Reads the configuration from its two pages.
    public init(_ cfg0: Page, _ cfg1: Page) {
        let access = cfg1[0]
        // CFG0 has AUTH0 in byte 3; CFG1 has the access bits in byte 0.
        firstProtected = cfg0[3]
        mirror = ASCIIMirror(cfg0: cfg0)
        protectsReading = access & Bits.protectsReading != 0
        isLocked = access & Bits.isLocked != 0
        counts = access & Bits.counts != 0
        protectsCounter = access & Bits.protectsCounter != 0
        passwordLimit = Int(access & Bits.passwordLimit)
    }

    /// The factory value of CFG0, which has no mirror, but with this AUTH0.
    public static func cfg0(firstProtected: UInt8) -> Page {
        // 04h is the factory value of STRG_MOD_EN, strong modulation.
        Page(0x04, 0x00, 0x00, firstProtected)
    }

    /// Whether the chip sets no limit on wrong passwords and leaves protected pages readable.
    public var limitsNothing: Bool { passwordLimit == 0 && !protectsReading }

    /// Whether every writable page is protected but readable, without a mirror, as on our cards.
    public var isFullProtection: Bool {
        limitsNothing && firstProtected == AccessConfiguration.everything && mirrorPage == nil
    }

    /// Whether the chip may show something other than its memory in one of these pages.
    public func mirrors(onto pages: ClosedRange<UInt8>) -> Bool {
        guard let first = mirrorPage.map(Int.init) else { return false }
        return first <= Int(pages.upperBound)
            && first + Bits.maximumMirrorPages > Int(pages.lowerBound)
    }

    /// This CFG1 without a password limit and with everything readable.
    public static func withoutPasswordLimit(_ cfg1: Page) -> Page {
        var cfg1 = cfg1
        // This only clears bits, so even a torn WRITE sets no new bits in the page.
        cfg1[0] &= ~(Bits.protectsReading | Bits.passwordLimit)
        return cfg1
    }

    /// Returns this CFG1 with the counter turned on.
    package static func counting(_ cfg1: Page) -> Page {
        var cfg1 = cfg1
        cfg1[0] |= Bits.counts
        return cfg1
    }

    /// Returns this CFG1 with CFG0 and CFG1 permanently locked.
    package static func locking(_ cfg1: Page) -> Page {
        var cfg1 = cfg1
        cfg1[0] |= Bits.isLocked
        return cfg1
    }

    private enum Bits {
        static let protectsReading: UInt8 = 0x80
        static let isLocked: UInt8 = 0x40
        static let counts: UInt8 = 0x10
        static let protectsCounter: UInt8 = 0x08
        static let passwordLimit: UInt8 = 0x07
        /// The UID, a letter, and the counter take up 21 bytes, which may start at any byte of a
        /// page.
        static let maximumMirrorPages = 6
    }
}

extension Type2Chip {
    /// Whether any page of this chip requires the password.
    public func isProtected(by configuration: AccessConfiguration) -> Bool {
        // If AUTH0 is beyond the last page, no page requires the password.
        contains(configuration.firstProtected)
    }
}
