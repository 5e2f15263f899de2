/// What CFG0 and CFG1 say about who may do what.
public struct AccessConfiguration: Hashable, Sendable {
    /// AUTH0: pages from this one need the password.
    public let firstProtected: UInt8
    /// PROT: they need it to be read as well.
    public let protectsReading: Bool
    /// CFGLCK: CFG0 and CFG1 can never be written again.
    public let isLocked: Bool
    /// NFC_CNT_EN: reads are counted.
    public let counts: Bool
    /// NFC_CNT_PWD_PROT: the count is shown only after the password.
    let protectsCounter: Bool
    /// AUTHLIM: so many wrong passwords close the tag for ever; 0 is no limit.
    public let passwordLimit: Int
    /// MIRROR_CONF and MIRROR_PAGE: from this page on the chip shows its number or its counter
    /// instead of what was written there; nil where it shows neither.
    public let mirrorPage: UInt8?

    /// AUTH0 of a tag that protects nothing.
    public static let nothing: UInt8 = 0xFF
    /// AUTH0 that protects everything that can be written. From a later page on, anyone with a
    /// phone could set the lock bits of page 2, and the card would be spoilt for ever.
    public static let everything: UInt8 = 0x02

    /// That of a chip without configuration pages, which protects nothing.
    static let open = AccessConfiguration(cfg0(firstProtected: nothing), .zero)

    init(of memory: TagMemory) {
        if let page = memory.chip.configurationPage {
            self.init(memory[page], memory[page + 1])
        } else {
            self = .open
        }
    }

    public init(_ cfg0: Page, _ cfg1: Page) {
        let access = cfg1[0]
        firstProtected = cfg0[3]
        let isMirrored = cfg0[0] & Bits.mirror != 0 && cfg0[2] >= Bits.firstMirrorPage
        mirrorPage = isMirrored ? cfg0[2] : nil
        protectsReading = access & Bits.protectsReading != 0
        isLocked = access & Bits.isLocked != 0
        counts = access & Bits.counts != 0
        protectsCounter = access & Bits.protectsCounter != 0
        passwordLimit = Int(access & Bits.passwordLimit)
    }

    /// CFG0 as it leaves the factory, without a mirror, but with this AUTH0.
    public static func cfg0(firstProtected: UInt8) -> Page {
        Page(0x04, 0x00, 0x00, firstProtected)
    }

    /// Whether it neither counts wrong passwords nor hides what it protects.
    public var isHarmless: Bool { passwordLimit == 0 && !protectsReading }

    /// Whether it protects all that can be written and shows what was, as on our cards.
    public var isWhole: Bool {
        isHarmless && firstProtected == AccessConfiguration.everything && mirrorPage == nil
    }

    /// Whether the chip may show something else than what was written to one of these pages.
    public func mirrors(onto pages: ClosedRange<UInt8>) -> Bool {
        guard let first = mirrorPage.map(Int.init) else { return false }
        return first <= Int(pages.upperBound)
            && first + Bits.mostMirrorPages > Int(pages.lowerBound)
    }

    /// The same CFG1 without a limit of passwords and with everything to be read.
    public static func relieved(_ cfg1: Page) -> Page {
        var cfg1 = cfg1
        cfg1[0] &= ~(Bits.protectsReading | Bits.passwordLimit)
        return cfg1
    }

    private enum Bits {
        static let protectsReading: UInt8 = 0x80
        static let isLocked: UInt8 = 0x40
        static let counts: UInt8 = 0x10
        static let protectsCounter: UInt8 = 0x08
        static let passwordLimit: UInt8 = 0x07
        static let mirror: UInt8 = 0xC0
        static let firstMirrorPage: UInt8 = 4
        /// Number, a letter and counter, 21 bytes, from any byte of a page on.
        static let mostMirrorPages = 6
    }
}

extension Type2Chip {
    /// Whether any page of this chip needs the password.
    public func isProtected(by configuration: AccessConfiguration) -> Bool {
        contains(configuration.firstProtected)
    }
}
