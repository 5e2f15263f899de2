package import Tags

/// The commands for a reader's buzzer and lights. Supports the ACR122U and ACR1252U; there are none
/// for other models.
package struct SignalCommands: Sendable {
    package enum Command: Sendable, Hashable {
        /// A pseudo-APDU, which the reader executes instead of forwarding it to the card.
        case pseudo([UInt8])
        /// An escape command. libccid and acsccid reject it unless bit 0 of ifdDriverOptions is set
        /// in their Info.plist.
        case escape([UInt8])
    }

    /// Turns off the beep for each detected card, because customers would think that they have
    /// paid.
    package private(set) var silence: [Command] = []
    private var done: [Command] = []
    private var refused: [Command] = []

    /// The commands for a reader with this name.
    package init(of name: String) {
        let name = name.lowercased()
        // ACR122U API 2.04, section 6.7 (buzzer on card detection) and 6.2 (lights and buzzer). The
        // last bytes in 6.2: light (50h red, A0h green), data length, time on and off (in 0.1 s),
        // repetitions, and 01h to sound the buzzer while the light is on. The reader responds only
        // when the signal is over.
        if name.contains("acr122u") {
            silence = [.pseudo([0xFF, 0x00, 0x52, 0x00, 0x00])]
            done = [.pseudo([0xFF, 0x00, 0x40, 0xA0, 0x04, 0x01, 0x00, 0x01, 0x01])]
            refused = [.pseudo([0xFF, 0x00, 0x40, 0x50, 0x04, 0x01, 0x01, 0x02, 0x01])]
        }
        // ACR1252U reference manual, "Peripherals control": 29h sets the lights (bit 0 red, bit 1
        // green), and 28h sounds the buzzer (in units of 10 ms). The reader responds immediately.
        // It has no command for two beeps, so a refusal is one longer beep.
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
