import CardCryptography
import Cards
import Ledger
import Tags
import TapcardDomain

/// The rules for a card on an NTAG 424, checked in its memory.
extension NTAG424Memory {
    /// The four slots of the card; nil where the chip has another file in their place.
    var slots: NTAG424Slots? { NTAG424Slots(self[.data].bytes) }

    /// Whether phones find the issuer's address, whatever grant it contains.
    var hasAddress: Bool {
        address.bytes(grant: grantBytes).elementsEqual(
            self[.ndef].bytes.prefix(address.byteCount))
    }

    /// The sum of all credits, sealed under any of the issuer's keys; nil for none.
    func granted(_ keys: KeyRing) -> Int64? {
        keys.entries.lazy.compactMap { entry in
            Grant(grantBytes, for: SellingKey(of: uid, from: entry.masters, .usd))?.granted
        }.first
    }

    /// The part of the memory that payments and top-ups leave unchanged.
    fileprivate var lasting: NTAG424Memory.Lasting {
        Lasting(
            keys: keys.map(\.key), versions: keys.map(\.version), settings: files.map(\.settings),
            capability: self[.capability].bytes,
            address: hasAddress ? [] : self[.ndef].bytes)
    }

    fileprivate struct Lasting: Equatable {
        let keys: [AESKey]
        let versions: [UInt8]
        let settings: [FileSettings]
        let capability: [UInt8]
        /// Empty if it is the issuer's.
        let address: [UInt8]
    }

    private var address: AddressFile { .placeholder }

    private var grantBytes: [UInt8] {
        Array(self[.ndef].bytes[address.grantAt...].prefix(Grant.byteCount))
    }
}

extension RestingWorld {
    /// The records on the card, as bytes: two on a tag with pages, four on a chip.
    var records: [[UInt8]]? { chip?.slots?.records ?? image?.records }

    /// The rules for a chip at rest: its keys are those that it names, none of them is the
    /// factory's once it is a card, and no record on it is worth more than was granted.
    func chipBroken() -> [Violation] {
        guard let chip, let card else { return [] }
        var found: [Violation] = []
        func note(_ words: String) { found.append(Violation(.chip, words)) }
        let isCard = card.confirmed != .none
        let known =
            [NTAG424CardKeys.factory]
            + keys.entries.map(\.masters).map { NTAG424CardKeys($0, uid: uid) }
        for number in KeyNumber.allCases {
            let key = chip[number]
            if !known.contains(where: { $0.version == key.version && $0[number] == key.key }) {
                note("key \(number.rawValue) is not the one of version \(key.version)")
            }
            if isCard, key.version == NTAG424CardKeys.factory.version {
                note("key \(number.rawValue) of a card is the factory's")
            }
        }
        guard let granted = chip.granted(keys) else {
            if isCard { note("the card has no grant") }
            return found
        }
        for slot in chip.slots?.slots ?? [] {
            guard let slot, let record = SealedRecord(slot.record),
                ledger.issued[uid]?[record.sequence]?.bytes == slot.record,
                Int64(record.balance) + slot.spent > granted
            else { continue }
            note(
                "record \(record.sequence) is worth \(record.balance) with \(slot.spent) spent; "
                    + "\(granted) was granted")
        }
        return found
    }

    /// The rules once nothing is left to do: all keys have the version of the newest record,
    /// settings and address are a card's, and the balance is what was granted minus what was spent.
    func chipUnresolved(_ best: SealedRecord) -> [Violation] {
        guard let chip else { return [] }
        var found: [Violation] = []
        func expect(_ holds: Bool, _ words: @autoclosure () -> String) {
            if !holds { found.append(Violation(.chip, words())) }
        }
        let version = NTAG424CardKeys.version(of: best.keyID)
        for number in KeyNumber.allCases {
            expect(
                chip[number].version == version,
                "key \(number.rawValue) has version \(chip[number].version), not \(version)")
        }
        expect(
            chip[.ndef].settings == AddressFile.placeholder.settings, "file 2 has other settings")
        expect(chip[.data].settings == AddressFile.slotSettings, "file 3 has other settings")
        let spent = chip.slots?.spent(at: best.bytes) ?? 0
        let rest = (chip.granted(keys) ?? 0) - spent
        expect(rest == balance, "granted less spent is \(rest), the balance \(balance)")
        return found
    }

    /// The sum spent as of the last confirmed record; nil for a tag with pages, and where the chip
    /// does not hold that record.
    func spentAtConfirmed(in tables: LedgerTables) -> Int64? {
        guard let chip, let confirmed = tables.cards[uid]?.confirmed,
            let bytes = tables.issued[uid]?[confirmed]?.bytes
        else { return nil }
        return chip.slots?.slots.lazy.compactMap { $0 }.first { $0.record == bytes }?.spent
    }

    /// The rules for one command that has changed the chip: the ledger has noted the step, a card
    /// in service gets only records and the grant written, and the grant never falls.
    func chipWritten(from before: NTAG424Memory, to after: NTAG424Memory) -> [Violation] {
        guard before != after else { return [] }
        var found: [Violation] = []
        if open == nil { found.append(Violation(.i4, "the chip was written, and nothing is open")) }
        if isInService(before), before.lasting != after.lasting {
            found.append(Violation(.i10, "keys, settings or address were changed"))
        }
        if before[.data].bytes != after[.data].bytes, !hasKeys(of: card?.allocated, after) {
            found.append(Violation(.chip, "a state was written before the card had all its keys"))
        }
        if let old = before.granted(keys), after.granted(keys).map({ $0 < old }) ?? true {
            let now = after.granted(keys).map { "\($0)" } ?? "nothing"
            found.append(Violation(.chip, "the grant fell from \(old) to \(now)"))
        }
        return found
    }

    /// Whether the card is finished and has the keys of the newest record made for it.
    private func isInService(_ chip: NTAG424Memory) -> Bool {
        open?.kind.makesCard != true && hasKeys(of: card?.allocated, chip)
    }

    /// Whether the chip has all keys in the version of the record with this number.
    private func hasKeys(of number: SequenceNumber?, _ chip: NTAG424Memory) -> Bool {
        guard let row = number.flatMap({ ledger.issued[uid]?[$0] }) else { return false }
        let version = NTAG424CardKeys.version(of: row.keyID)
        return chip.keys.allSatisfy { $0.version == version }
    }
}
