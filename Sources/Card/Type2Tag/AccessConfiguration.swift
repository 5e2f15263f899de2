/// What CFG0 and CFG1 say about who may do what.
struct AccessConfiguration: Hashable, Sendable {
    /// AUTH0: pages from this one need the password.
    let firstProtected: UInt8
    /// PROT: they need it to be read as well.
    let protectsReading: Bool
    /// CFGLCK: CFG0 and CFG1 can never be written again.
    let isLocked: Bool
    /// NFC_CNT_EN: reads are counted.
    let counts: Bool
    /// NFC_CNT_PWD_PROT: the count is shown only after the password.
    let protectsCounter: Bool
    /// AUTHLIM: so many wrong passwords close the tag for ever; 0 is no limit.
    let passwordLimit: Int

    /// That of a chip without configuration pages, which protects nothing.
    static let open = AccessConfiguration(Page(0, 0, 0, 0xFF), .zero)

    init(of memory: TagMemory) {
        if let page = memory.chip.configurationPage {
            self.init(memory[page], memory[page + 1])
        } else {
            self = .open
        }
    }

    private init(_ cfg0: Page, _ cfg1: Page) {
        let access = cfg1[0]
        firstProtected = cfg0[3]
        protectsReading = access & 0x80 != 0
        isLocked = access & 0x40 != 0
        counts = access & 0x10 != 0
        protectsCounter = access & 0x08 != 0
        passwordLimit = Int(access & 0x07)
    }
}
