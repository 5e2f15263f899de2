import Tags

/// A type A card that was found and selected.
struct SelectedCard: Hashable {
    let number: [UInt8]
    /// The ATQA, least significant byte first, as received over the air.
    let answerToRequest: [UInt8]
    let selectAcknowledge: UInt8
}

/// The complete selection procedure, which the chip's firmware performs on its own.
extension RadioField {
    /// Searches for cards up to this many times and selects the first one that responds; `nil` if
    /// none does. If a UID is given, in parts of four bytes, selects only the card with that UID.
    mutating func select(
        attempts: Int, waking: Bool, number: [UInt8] = []
    ) -> SelectedCard? {
        let request = waking ? TypeACardSelection.wakeUp : TypeACardSelection.request
        for _ in 0..<attempts {
            if let card = selectOnce(request, number) { return card }
        }
        return nil
    }

    private mutating func selectOnce(
        _ request: RadioFrame, _ requested: [UInt8]
    ) -> SelectedCard? {
        guard case .frame(let answerToRequest) = send(request) else { return nil }
        var number: [UInt8] = []
        for (level, code) in TypeACardSelection.selectCodes.enumerated() {
            let part: [UInt8]
            if requested.count >= 4 * (level + 1) {
                part = Array(requested[(4 * level)..<(4 * level + 4)])
            } else {
                guard let found = nextPart(code, level) else { return nil }
                part = found
            }
            let frame = [code, TypeACardSelection.wholeNumber] + part + [part.reduce(0, ^)]
            guard case .frame(let answer) = send(RadioFrame(bytes: RadioCRC.appended(to: frame))),
                let acknowledge = RadioCRC.stripped(from: answer.bytes)?.first
            else { return nil }
            // SAK bit 3: the UID continues at the next cascade level, and this part began with 88h.
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

    /// Returns the next four bytes of a UID. If several cards respond, picks one of them; the real
    /// chip does that bit by bit.
    private mutating func nextPart(_ code: UInt8, _ level: Int) -> [UInt8]? {
        switch send(RadioFrame(bytes: [code, TypeACardSelection.noBits])) {
        case .silence: nil
        // The last byte is the check byte.
        case .frame(let answer): Array(answer.bytes.dropLast())
        case .collision: firstReady(level)
        }
    }
}
