import Tags

/// Reads a card's file settings in a session with its sell key, in which every response carries a
/// MAC. This is needed only if a card refuses a command that it should accept.
package struct InspectSettings: NTAG424Procedure {
    private enum Step { case select, authenticate, settings(FileNumber) }

    package var talk = NTAG424Talk()
    private let card: SellingKey
    private let random: [UInt8]
    private var steps: ArraySlice<Step> = [
        .select, .authenticate, .settings(.data), .settings(.ndef),
    ]

    /// `random` must be 16 unpredictable bytes.
    package init(_ card: SellingKey, random: [UInt8]) { (self.card, self.random) = (card, random) }

    package mutating func begin() -> NTAG424Move<Bool> { nextMove() }

    /// The outcome is `true` if all settings are the ones that a card needs.
    package mutating func proceed(_ data: [UInt8]) -> NTAG424Move<Bool> {
        if case .settings(let file) = steps.popFirst() {
            // On tapcard's cards, every file has a fixed size.
            guard let report = FileSettings.reported(data), report.size == file.size,
                AddressFile.fitsCard(report.settings, file)
            else { return .finish(false) }
        }
        return nextMove()
    }

    private func nextMove() -> NTAG424Move<Bool> {
        switch steps.first {
        case .select: .run(.selectApplication)
        case .authenticate: .authenticate(.three, card.key, random: random)
        case .settings(let file): .run(.getFileSettings(file))
        case nil: .finish(true)
        }
    }
}
