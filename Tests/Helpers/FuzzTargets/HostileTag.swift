import BlockingLane
import CardCryptography
import Ledger
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain

extension FuzzTarget {
    /// A till with a card of its own, and a tag that does as it likes: nothing is reported as done
    /// that the ledger does not have, the ledger stays sound, and every tap ends.
    static let hostileTag = FuzzTarget(waiting: "hostile-tag") { input in
        var choices = Choices(input)
        let setting = choices.byte()
        let till = try await HostileTill(setting, choices)
        for _ in 0..<HostileTill.mostTaps {
            guard try await till.tap() else { break }
        }
        await till.reader.becomeHonest()
        await till.reader.beginTap(.changing)
        // An honest tap at the end; what it says of the tag may be anything.
        _ = try? await till.station.read()
        try await till.check()
    }
}

private struct HostileTill {
    static let mostTaps = 4
    private static let answers = [16, 64, 160, 250]
    private static let uid: [UInt8] = [0x04, 0xAC, 0x6B, 0x72, 0xBA, 0x6C, 0x80]
    private static let otherUID: [UInt8] = [0x04, 0xDE, 0xAD, 0xBE, 0xEF, 0x00, 0x01]
    private static let keys = KeyRing.fresh(created: "2026-01-01") { count in
        [UInt8](repeating: 0x5A, count: count)
    }

    let reader: HostileReader
    let station: Station
    private let ledger = InMemoryLedger()

    /// Two bits for the chip, two for the length of answers, one for a tag that is not a card yet,
    /// and one for an NTAG 424.
    init(_ setting: UInt8, _ choices: Choices) async throws {
        let chip = Type2Chip.known[Int(setting & 3) % Type2Chip.known.count]
        let tag = try unwrap(TagMemory.blank(chip, uid: HostileTill.uid), "no tag")
        let other = try unwrap(TagMemory.blank(chip, uid: HostileTill.otherUID), "no tag")
        let isProven = setting & 0x20 != 0
        let proven = try unwrap(NTAG424Memory(factory: HostileTill.uid), "no chip")
        let honest = SimulatedReader(
            isProven
                ? Simulation([other], chips: [proven], onReader: [proven.number])
                : Simulation([tag, other], onReader: [tag.uid]))
        let time = Guarded((now: Int64(1_700_000_000_000), seed: UInt64(setting)))
        let dependencies = Station.Dependencies(
            now: {
                time.withLock { time in
                    time.now += 1
                    return Timestamp(milliseconds: time.now)
                }
            },
            sleep: { _ in },
            random: { count in
                time.withLock { time in
                    (0..<count).map { _ in
                        time.seed = time.seed &* 6_364_136_223_846_793_005 &+ 1
                        return UInt8(truncatingIfNeeded: time.seed >> 33)
                    }
                }
            })
        if setting & 0x10 == 0 {
            let maker = Station(
                reader: honest, ledger: ledger, keys: HostileTill.keys,
                dependencies: dependencies)
            _ = try await maker.make(
                HostileTill.cardRequest(mayReissue: false), id: HostileTill.id(0))
        }
        reader = HostileReader(
            honest, choices, maximumAnswerLength: HostileTill.answers[Int(setting >> 2 & 3)],
            ledger: ledger, keys: HostileTill.keys)
        station = Station(
            reader: reader, ledger: ledger, keys: HostileTill.keys, dependencies: dependencies)
    }

    private static func id(_ number: UInt8) -> OperationID {
        guard let id = OperationID(bytes: [UInt8](repeating: number, count: 16)) else {
            preconditionFailure("sixteen bytes are an id")
        }
        return id
    }

    private static func cardRequest(mayReissue: Bool) throws -> CardRequest {
        let holder = Holder(id: try HolderID(1), name: try HolderName("Amanda Gonzalez"))
        return CardRequest(
            .issue(holder, Money(minorUnits: 1_000, .usd), hasScratchCard: true),
            mayReissue: mayReissue, mayOverwrite: mayReissue)
    }

    /// One use case; false when there are no further choices.
    func tap() async throws -> Bool {
        let kind = await reader.byte() % 14
        let detail = await reader.byte()
        let id = HostileTill.id(detail % 4 + 1)
        let amount = Money(minorUnits: Int64(detail / 4) * 20 + 1, .usd)
        let before = try await ledger.operation(id)
        await reader.beginTap(HostileTill.command(kind))
        switch kind {
        case 0: _ = try? await station.read()
        case 1: _ = try? await station.read(resolving: false)
        case 2: try await receipt(before, id) { try await station.pay(amount, id: id) }
        case 3: try await receipt(before, id) { try await station.add(amount, id: id) }
        case 4: try await receipt(before, id) { try await station.scratch(id: id) }
        case 5: try await receipt(before, id) { try await station.close(id: id) }
        case 6: try await receipt(nil, nil) { try await station.refund(id) }
        case 7:
            let request = try HostileTill.cardRequest(mayReissue: detail & 0x80 != 0)
            if let made = try? await station.make(request, id: id) {
                try await requireMade(made, id)
            }
        case 8: _ = try? await station.tagInfo()
        case 9:
            if let dump = try? await station.dump() {
                try require(try TagDump(parsing: dump.text) == dump, "a dump that cannot be read")
            }
        case 10: _ = try? await station.repair(naming: CardUID(bytes: HostileTill.uid))
        case 11: _ = try? await station.repair()
        case 12: try await switchProtection { try await station.protect(id: id) }
        default: try await switchProtection { try await station.unprotect(id: id) }
        }
        try await check()
        return !(await reader.isAtEnd)
    }

    private static func command(_ kind: UInt8) -> TagPermission.Command {
        switch kind {
        case 1, 8, 9: .looking
        case 7, 13: .freeing
        default: .changing
        }
    }

    /// "Paid" is reported if and only if the ledger has the payment.
    private func receipt(
        _ before: Operation?, _ id: OperationID?,
        _ work: () async throws -> Receipt
    ) async throws {
        let receipt: Receipt
        do {
            receipt = try await work()
        } catch {
            guard let id, before?.state != .committed else { return }
            let after = try await ledger.operation(id)
            try require(
                after?.state != .committed,
                "it failed (\(error)), but \(id) is committed: \(after?.kind.rawValue ?? "")")
            return
        }
        let known = try await ledger.operation(receipt.operation.id)
        try require(known?.state == .committed, "a success that the ledger does not have")
        try require(known == receipt.operation, "a success that is another one in the ledger")
        try require(
            known?.balanceAfter == receipt.balance.minorUnits, "a balance that was never there")
        if before?.state == .committed {
            try require(receipt.isReplayed, "one operation was done twice")
        }
    }

    private func switchProtection(
        _ work: () async throws -> ProtectionChange
    ) async throws {
        guard let change = try? await work() else { return }
        guard let done = change.operation else { return }
        let known = try await ledger.operation(done)
        try require(known?.state == .committed, "a protection that the ledger does not have")
    }

    /// Either this request was carried out, or an earlier one for the same card was completed.
    private func requireMade(_ made: CardSummary, _ id: OperationID) async throws {
        let making = try await ledger.read { rows throws(LedgerError) in
            try rows.operations(on: made.uid).filter(\.kind.makesCard)
        }
        try require(
            making.contains { $0.state == .committed },
            "a card that the ledger does not have: \(making)")
        let known = try await ledger.operation(id)
        try require(
            known == nil || known?.state == .committed, "\(id) is not done: \(known?.state as Any)")
    }

    /// Checks the rules that hold at any time.
    func check() async throws {
        let audit = try await ledger.audit()
        try require(audit.violations.isEmpty, audit.violations.joined(separator: "; "))
        try require(!(await reader.hasRunAway), "a tap that does not end")
        let frame = await reader.forbidden
        try require(frame == nil, "the tag was sent \(frame ?? [])")
    }
}

extension LedgerStore {
    fileprivate func operation(_ id: OperationID) async throws -> Operation? {
        try await read { rows throws(LedgerError) in try rows.operation(id) }
    }
}
