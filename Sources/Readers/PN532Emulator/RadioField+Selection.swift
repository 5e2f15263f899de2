import Tags

/// A card of type A that was found and selected.
struct SelectedCard: Hashable {
    let number: [UInt8]
    /// The ATQA, least significant byte first, as received by radio.
    let answerToRequest: [UInt8]
    let selectAcknowledge: UInt8
}

/// The complete selection that the chip's firmware does by itself.
extension RadioField {
    /// Looks for cards this many times, and selects the first that answers. Nil if none does. With
    /// a number, only the card with that number, in parts of four bytes.
    mutating func select(
        attempts: Int, waking: Bool, number: [UInt8] = []
    ) -> SelectedCard? {
        let request = waking ? TypeACardSelection.wakeUp : TypeACardSelection.request
        for _ in 0..<attempts {
            if let card = selectOnce(request, number) { return card }
        }
        return nil
    }

    private mutating func selectOnce(_ request: RadioFrame, _ wanted: [UInt8]) -> SelectedCard? {
        guard case .frame(let answerToRequest) = send(request) else { return nil }
        var number: [UInt8] = []
        for (level, code) in TypeACardSelection.selectCodes.enumerated() {
            let part: [UInt8]
            if wanted.count >= 4 * (level + 1) {
                part = Array(wanted[(4 * level)..<(4 * level + 4)])
            } else {
                guard let found = nextPart(code, level) else { return nil }
                part = found
            }
            let frame = [code, TypeACardSelection.wholeNumber] + part + [part.reduce(0, ^)]
            guard case .frame(let answer) = send(RadioFrame(bytes: RadioCRC.appended(to: frame))),
                let acknowledge = RadioCRC.stripped(from: answer.bytes)?.first
            else { return nil }
            let isPartial = acknowledge & 0x04 != 0
            number += isPartial ? Array(part.dropFirst()) : part
            if !isPartial {
                return SelectedCard(
                    number: number, answerToRequest: answerToRequest.bytes,
                    selectAcknowledge: acknowledge)
            }
        }
        return nil
    }

    /// The next four bytes of a number. If several cards answer, one of them is picked, as the chip
    /// does bit by bit.
    private mutating func nextPart(_ code: UInt8, _ level: Int) -> [UInt8]? {
        switch send(RadioFrame(bytes: [code, TypeACardSelection.noBits])) {
        case .silence: nil
        case .frame(let answer): Array(answer.bytes.dropLast())
        case .collision: firstReady(level)
        }
    }
}
