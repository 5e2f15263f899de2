import Tags

/// The commands that list and release cards.
extension PN532Chip {
    private static let retriesForever: UInt8 = 0xFF
    private static let maximumTargets = 2
    /// RATS: frames of 64 bytes, CID 0.
    private static let requestForAnswerToSelect: [UInt8] = [0xE0, 0x50]

    mutating func listPassiveTarget(_ data: ArraySlice<UInt8>) -> ChipResult {
        let bytes = Array(data)
        guard bytes.count >= 2, (1...PN532Chip.maximumTargets).contains(Int(bytes[0])),
            bytes[1] <= 4
        else {
            return .syntaxError
        }
        let request = ListRequest(
            maximumListed: Int(bytes[0]), kind: bytes[1], initiatorData: Array(bytes.dropFirst(2)))
        guard request.isComplete else { return .syntaxError }
        if let answer = list(request) { return .answer(answer) }
        return activationRetries == PN532Chip.retriesForever
            ? keepWaiting(.list(request)) : .answer([0])
    }

    /// Lists cards and returns the response to InListPassiveTarget; `nil` if no card was found. The
    /// emulator has only type A cards, so a request for any other type finds nothing.
    mutating func list(_ request: ListRequest) -> [UInt8]? {
        forgetTargets()
        field.setPower(true)
        guard request.kind == 0 else { return nil }
        var answer: [UInt8] = []
        registers.prepareTypeA()
        // A card that is still selected treats the first REQA as a protocol error and falls back to
        // idle, so it responds only on a second attempt.
        let attempts =
            activationRetries == PN532Chip.retriesForever ? 2 : Int(activationRetries) + 1
        while targets.count < request.maximumListed {
            haltCurrent()
            // A UID in the request wakes a halted card (WUPA). libfreefare relies on this: it lists
            // the cards, halts them, and then selects one by its UID.
            let isNamed = wakesHaltedCards && !request.initiatorData.isEmpty && targets.isEmpty
            guard
                let card = field.select(
                    attempts: min(attempts, 2), waking: isNamed, number: request.initiatorData)
            else { break }
            answer += listed(card)
        }
        // The search for another card has halted the last card found, which is therefore selected
        // again.
        if current == nil, !targets.isEmpty { _ = makeCurrent(targets.count - 1) }
        registers[ChipRegisters.fifoData] = targets.isEmpty ? 0x26 : 0x00
        return targets.isEmpty ? nil : [UInt8(targets.count)] + answer
    }

    private mutating func listed(_ card: SelectedCard) -> [UInt8] {
        let tag = UInt8(targets.count + 1)
        // Over the air, the ATQA is sent low byte first; the chip reports it high byte first.
        var data = [tag] + card.answerToRequest.reversed() + [card.selectAcknowledge]
        data += [UInt8(card.number.count)] + card.number
        var kind = ChipTarget.Kind.plain
        if card.selectAcknowledge & 0x20 != 0, activatesBlocks, let answer = activateBlocks() {
            data += answer
            kind = .block(BlockTarget(answerToSelect: answer))
        }
        targets.append(ChipTarget(number: card.number, kind: kind))
        current = targets.count - 1
        return data
    }

    private mutating func activateBlocks() -> [UInt8]? {
        let frame = RadioCRC.appended(to: PN532Chip.requestForAnswerToSelect)
        guard case .frame(let answer) = field.send(RadioFrame(bytes: frame)) else { return nil }
        return RadioCRC.stripped(from: answer.bytes)
    }

    /// Halts the current card, so that another card can respond.
    private mutating func haltCurrent() {
        guard let index = current, targets.indices.contains(index) else { return }
        current = nil
        let frame: [UInt8] =
            switch targets[index].kind {
            case .plain: [0x50, 0x00]
            // S(DESELECT), because an activated card does not respond to HLTA.
            case .block: [0xC2]
            }
        _ = field.send(RadioFrame(bytes: RadioCRC.appended(to: frame)))
    }

    /// Selects a listed card so that it receives subsequent frames. Returns a status.
    mutating func makeCurrent(_ index: Int) -> UInt8 {
        guard targets.indices.contains(index) else { return ChipStatus.context }
        guard current != index else { return ChipStatus.good }
        haltCurrent()
        // The card was halted when another card was selected, so it has to be woken.
        let parts = TypeACardSelection.cascade(targets[index].number).flatMap(\.self)
        guard field.select(attempts: 2, waking: true, number: parts) != nil else {
            return ChipStatus.timeout
        }
        if case .block = targets[index].kind {
            guard let answer = activateBlocks() else { return ChipStatus.timeout }
            targets[index].kind = .block(BlockTarget(answerToSelect: answer))
        }
        current = index
        return ChipStatus.good
    }

    mutating func select(_ data: ArraySlice<UInt8>) -> ChipResult {
        guard data.count == 1, let number = data.first else { return .syntaxError }
        return .answer([makeCurrent(Int(number) - 1)])
    }

    mutating func deselect(_ data: ArraySlice<UInt8>) -> ChipResult {
        guard data.count == 1, let number = data.first else { return .syntaxError }
        guard number == 0 || Int(number) <= targets.count else {
            return .answer([ChipStatus.context])
        }
        if number == 0 || current == Int(number) - 1 { haltCurrent() }
        return .answer([ChipStatus.good])
    }

    mutating func release(_ data: ArraySlice<UInt8>) -> ChipResult {
        let result = deselect(data)
        // The numbers of the other cards must not change, so a released card is removed from the
        // list only if it is the last one.
        if result == .answer([ChipStatus.good]), let number = data.first {
            if number == 0 {
                forgetTargets()
            } else if Int(number) == targets.count {
                targets.removeLast()
            }
        }
        return result
    }

    mutating func autoPoll(_ data: ArraySlice<UInt8>) -> ChipResult {
        let bytes = Array(data)
        guard (3...17).contains(bytes.count), bytes[0] > 0, (1...15).contains(bytes[1]) else {
            return .syntaxError
        }
        let types = Array(bytes.dropFirst(2))
        if let answer = poll(types) { return .answer(answer) }
        return bytes[0] == PN532Chip.retriesForever ? keepWaiting(.poll(types)) : .answer([0])
    }

    /// Searches for cards and returns the response to InAutoPoll; `nil` if no card of these types
    /// was found.
    mutating func poll(_ types: [UInt8]) -> [UInt8]? {
        let request = ListRequest(maximumListed: 1, kind: 0, initiatorData: [])
        for type in types where [0x00, 0x10, 0x20].contains(type) {
            guard let answer = list(request), let target = targets.first else { continue }
            let isBlock = if case .block = target.kind { true } else { false }
            if type == 0x20, !isBlock {
                haltCurrent()
                // Cutting the power resets the halted card, so that it can be found as another
                // type.
                field.setPower(false)
                forgetTargets()
                continue
            }
            let data = Array(answer.dropFirst())
            return [1, isBlock ? 0x20 : 0x10, UInt8(data.count)] + data
        }
        return nil
    }
}

extension ListRequest {
    /// Whether the request has as much data as its kind of card requires.
    var isComplete: Bool {
        switch kind {
        case 0: [0, 4, 8, 12].contains(initiatorData.count)
        case 1, 2: initiatorData.count == 5
        case 3: (1...2).contains(initiatorData.count)
        default: initiatorData.isEmpty
        }
    }
}
