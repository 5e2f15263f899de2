import Tags
import TapcardDomain
import TextCodecs

extension CardFace {
    /// The width to which balances are padded, so that a payment does not shift the bytes after
    /// them.
    private static let balanceWidth = 9

    /// The bytes of the whole NDEF area: the message, its terminator, and zeros to the end, so that
    /// nothing remains of an earlier, longer message.
    package func area(in layout: CardLayout) throws(CardImageError) -> [UInt8] {
        try shown(in: layout).wholeArea(in: layout)
    }

    /// Whether everything fits in the short form, including a future code.
    func hasRoom(in layout: CardLayout) -> Bool {
        // The app's format has neither a ticket nor a game to make room for.
        guard style == .tapcard else { return true }
        return (withCode ?? self).tapcardJSON(isShort: true).utf8.count <= layout.jsonCapacity
    }

    private func wholeArea(in layout: CardLayout) throws(CardImageError) -> [UInt8] {
        // The app's format has no status byte and no language, which leaves three more bytes for
        // the JSON.
        let capacity = style == .tapcard ? layout.jsonCapacity : layout.jsonCapacity + 3
        var json = style == .tapcard ? tapcardJSON(isShort: false) : appJSON
        if json.utf8.count > capacity, style == .tapcard { json = tapcardJSON(isShort: true) }
        let excess = json.utf8.count - capacity
        guard excess <= 0 else {
            throw CardImageError(
                .tooLong(by: excess),
                "the NFC text for phones is \(excess) \(excess == 1 ? "byte" : "bytes") too long "
                    + "for the tag"
                    + (extras.isEmpty ? "" : "; other programs' members take up part of the space"))
        }
        let record =
            style == .tapcard
            // The app's format: bare JSON, without the status byte and language of a Text record.
            ? NDEFText(language: "en", text: json).record
            : NDEFRecord(
                format: .wellKnown, type: Array("T".utf8), id: [], payload: Array(json.utf8))
        let message = try translating(NDEFMessage([record]).encoded()) { (error: NDEFError) in
            CardImageError(.tooLong(by: 0), "the message cannot be encoded: \(error.detail)")
        }
        // The area is at most 216 bytes, so the length takes one byte, as `jsonCapacity` assumes.
        let area = TLVArea.encoded(message: message)
        return area + [UInt8](repeating: 0, count: layout.ndefByteCount - area.count)
    }

    private func tapcardJSON(isShort: Bool) -> String {
        // The balance comes first and begins on page 09h, so a payment changes only two or three
        // pages.
        var text = "{\"\(FaceKey.balance)\":\(paddedBalance)"
        func add(_ key: String, _ value: JSONValue) { text += CardFace.member(key, value) }
        if let id = holder.id { add(FaceKey.id, .number(id.description)) }
        if let name = holder.name { add(FaceKey.name, .string(name.text)) }
        if let code = scratch.code {
            add(
                FaceKey.code,
                .string(isShort ? Base64URL.encode(code.bytes) : code.description))
        }
        if let stateWord = scratch.word {
            add(FaceKey.state, .string(isShort ? String(stateWord.prefix(1)) : stateWord))
        }
        if let ticket { add(FaceKey.ticket, CardFace.json(of: ticket)) }
        if let game { add(FaceKey.game, .string(game.text)) }
        return text + extraMembers(except: FaceKey.own) + "}"
    }

    private static func json(of ticket: Ticket) -> JSONValue {
        let numbers = ticket.balls.numbers.map { JSONValue.number(String($0)) }
        return [
            .string(ticket.id.text), .string(ticket.draw.text), .array(numbers),
            .number(String(ticket.balls.bonus)),
        ]
    }

    /// The JSON with the app's four keys. The code and the state are only in the ledger.
    private var appJSON: String {
        let (first, last) = names
        var text = "{\"\(FaceKey.firstName)\":\(JSONValue.string(first).text)"
        text += CardFace.member(FaceKey.lastName, .string(last))
        text += ",\"\(FaceKey.accountValue)\":\(paddedBalance)"
        if let id = holder.id { text += CardFace.member(FaceKey.id, .number(id.description)) }
        return text + extraMembers(except: [FaceKey.balance] + FaceKey.app) + "}"
    }

    private var paddedBalance: String {
        let amount = balance.description
        // JSON allows spaces after a number, so the padded text is still valid.
        let missing = max(0, CardFace.balanceWidth - amount.utf8.count)
        return amount + String(repeating: " ", count: missing)
    }

    /// The members added by other software, except those whose key the current format uses: a
    /// duplicate key would make the whole JSON unreadable.
    private func extraMembers(except keys: [String]) -> String {
        // An extra in one format can be a key in the other, and `--display` can change the format.
        extras.filter { !keys.contains($0.key) }
            .map { CardFace.member($0.key, $0.value) }
            .joined()
    }

    private static func member(_ key: String, _ value: JSONValue) -> String {
        ",\(JSONValue.string(key).text):\(value.text)"
    }

    /// The first and last name: the cardholder's name, split at the last space that has text on
    /// both sides, so that joining the parts restores the name.
    private var names: (String, String) {
        let name = holder.name?.text ?? ""
        guard
            // A space at either end would leave an empty part, which would be dropped when reading.
            let space = name.indices.dropFirst().dropLast().last(where: { name[$0] == " " })
        else { return (name, "") }
        return (String(name[..<space]), String(name[name.index(after: space)...]))
    }
}
