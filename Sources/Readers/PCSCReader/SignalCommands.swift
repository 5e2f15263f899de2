package import Tags

/// The commands with which a reader beeps and lights up. Only two models are known; any other gets
/// none.
package struct SignalCommands: Sendable {
    package enum Command: Sendable, Hashable {
        /// A pseudo-APDU, which the reader obeys instead of passing it on to the card.
        case pseudo([UInt8])
        /// An escape command, which needs the driver's permission: libccid and acsccid refuse it
        /// unless bit 0 of ifdDriverOptions is set in their Info.plist.
        case escape([UInt8])
    }

    /// Keeps the reader from beeping for each card, which customers would take for the end of a
    /// payment.
    package private(set) var silence: [Command] = []
    private var done: [Command] = []
    private var refused: [Command] = []

    /// The commands for a reader with this name.
    package init(of name: String) {
        let name = name.lowercased()
        // ACR122U API 2.04: 6.7, no buzzer when a card is detected; 6.2, lights and buzzer. The
        // bytes: which light blinks (50h red, A0h green), the length of its data, how long it is on
        // and off (in 0.1 s), how often, and that the buzzer sounds while it is on. The reader
        // answers when it is over.
        if name.contains("acr122u") {
            silence = [.pseudo([0xFF, 0x00, 0x52, 0x00, 0x00])]
            done = [.pseudo([0xFF, 0x00, 0x40, 0xA0, 0x04, 0x01, 0x00, 0x01, 0x01])]
            refused = [.pseudo([0xFF, 0x00, 0x40, 0x50, 0x04, 0x01, 0x01, 0x02, 0x01])]
        }
        // ACR1252U reference manual, "Peripherals control": 29h sets the lights (bit 0 red, bit 1
        // green), 28h sounds the buzzer (in 10 ms), and the reader does not wait. It cannot beep
        // twice on its own, so a refusal is a longer beep.
        if name.contains("acr1252") {
            done = [
                .escape([0xE0, 0x00, 0x00, 0x29, 0x01, 0x02]),
                .escape([0xE0, 0x00, 0x00, 0x28, 0x01, 0x0A]),
            ]
            refused = [
                .escape([0xE0, 0x00, 0x00, 0x29, 0x01, 0x01]),
                .escape([0xE0, 0x00, 0x00, 0x28, 0x01, 0x32]),
            ]
        }
    }

    package func commands(for signal: TagSignal) -> [Command] {
        switch signal {
        case .done: done
        case .refused: refused
        }
    }
}
