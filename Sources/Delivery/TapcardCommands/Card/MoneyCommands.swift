import Ledger
import StyledText
import TapcardCore
import TapcardDomain
import TextCodecs

extension Command {
    static let moneyCommands: [Command] = [
        Command(
            "pay", group: .money, "Record a payment",
            discussion: "Says \"paid\" only when ledger and card have it. When the card is pulled "
                + "too soon, the exit status is 6 and the next tap settles it.",
            arguments: [CommandArgument(name: "AMOUNT", help: "Such as 4.50")],
            options: [.operation, .card], example: "tapcard pay 4.50"
        ) { session throws(TapcardError) in
            try await session.move("Paid") { station, amount, id, card throws(TapcardError) in
                try await station.pay(amount, id: id, only: card)
            }
        },
        Command(
            "add", group: .money, "Add funds that are in the drawer already",
            arguments: [CommandArgument(name: "AMOUNT", help: "Such as 20")],
            options: [.operation, .card], example: "tapcard add 20"
        ) { session throws(TapcardError) in
            try await session.move("Added") { station, amount, id, card throws(TapcardError) in
                try await station.add(amount, id: id, only: card)
            }
        },
        Command(
            "refund", group: .money, "Reverse a payment, once, at most what was paid",
            arguments: [
                CommandArgument(name: "OPERATION", help: "The payment's id"),
                CommandArgument(
                    name: "AMOUNT", help: "Less than all of it", isRequired: false),
            ],
            example: "tapcard refund 6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60"
        ) { session throws(TapcardError) in
            let id = try session.id(session.command.argument("OPERATION") ?? "")
            let station = try await session.station()
            let amount = try session.command.argument("AMOUNT").map { text throws(TapcardError) in
                try session.amount(text, station.currency)
            }
            return Report(try await station.refund(id, amount), "Refunded")
        },
        Command(
            "close", group: .money, "Pay out what is left on a card and empty it",
            options: [.operation, .card], example: "tapcard close"
        ) { session throws(TapcardError) in
            let station = try await session.station()
            let receipt = try await station.close(
                id: try session.operation(station), only: try session.card())
            return Report(receipt, "Paid out")
        },
        Command(
            "history", group: .money, "Show what was done, from the ledger; no card needed",
            options: [CommandOption(name: "card", value: "UID", help: "Only this card")],
            example: "tapcard history --card 04AC6B72BA6C80"
        ) { session throws(TapcardError) in try await session.history() },
        Command(
            "audit", group: .money, "Check every invariant over the whole ledger",
            example: "tapcard audit"
        ) { session throws(TapcardError) in try await session.audit() },
    ]
}

extension Session {
    fileprivate func move(
        _ verb: String,
        _ carryOut: (Station, Money, OperationID, CardUID?) async throws(TapcardError) -> Receipt
    ) async throws(TapcardError) -> Report {
        let ledger = try await ledger()
        let amount = try amount(command.argument("AMOUNT") ?? "", ledger.currency)
        let card = try card()
        let station = try await station(with: ledger)
        return Report(
            try await carryOut(station, amount, try operation(station), card), verb)
    }

    fileprivate func history() async throws(TapcardError) -> Report {
        let lines = try await Station.history(
            of: try card(), in: try await ledger(making: false))
        let entries: [JSONValue] = lines.map { line in
            [
                "operation": .text(line.operation.id), "uid": .text(line.operation.uid),
                "kind": .string(line.operation.kind.rawValue),
                "state": .string(line.operation.state.rawValue),
                "amount": .text(line.amount), "balance": .text(line.balance),
                "sequence": line.operation.sequence == .none
                    ? .null : .number(line.operation.sequence.value),
                "reverses": .text(line.operation.reverses),
                "at": .string(LocalTime.iso(line.operation.begunAt)),
            ]
        }
        let texts = lines.map { line in
            let state = line.operation.state == .committed ? "" : " (\(line.operation.state))"
            return [
                LocalTime.text(line.operation.begunAt), line.operation.uid.description,
                (line.operation.kind.rawValue + state).padded(18),
                (line.amount?.shown ?? "").padded(12), (line.balance?.shown ?? "").padded(12),
                line.operation.id.description,
            ].joined(separator: "  ")
        }
        return Report(
            [JSONMember(key: "entries", value: .array(entries))],
            texts.isEmpty ? ["Nothing was done yet."] : texts, isPlain: true)
    }

    fileprivate func audit() async throws(TapcardError) -> Report {
        let report = try await Station.audit(try await ledger(making: false))
        let problem =
            report.violations.isEmpty
            ? nil
            : TapcardError(
                .auditFailed, "The ledger breaks \(report.violations.count) of its invariants.",
                meaning: "Its balances cannot be relied on.",
                advice: "Stop taking money and bring back the last good backup.")
        let open = report.open == 0 ? "nothing open" : "\(report.open) open until the next tap"
        return Report(
            [
                JSONMember(key: "cards", value: .number(report.cards)),
                JSONMember(key: "operations", value: .number(report.operations)),
                JSONMember(key: "open", value: .number(report.open)),
                JSONMember(
                    key: "violations",
                    value: .array(report.violations.map(JSONValue.string))),
            ],
            [
                "Cards: \(report.cards), operations: \(report.operations), \(open); "
                    + (report.violations.isEmpty
                        ? "every invariant holds" : "violations: \(report.violations.count)")
            ] + report.violations, problem: problem)
    }
}
