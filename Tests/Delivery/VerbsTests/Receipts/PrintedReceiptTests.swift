import Ledger
import TapcardCore
import TapcardDomain
import Testing
import Verbs

@Suite("Receipts")
struct PrintedReceiptTests {
    private static let uid = CardUID("04AC6B72BA6C80")

    /// The receipt of an operation in a ledger of its own.
    static func receipt(
        _ operation: Operation, beside others: [Operation] = [], header: String? = nil,
        isCopy: Bool = false, currency: Currency = .usd
    ) async throws -> PrintedReceipt {
        let ledger = InMemoryLedger(currency: currency)
        try await ledger.write { rows throws(LedgerError) in
            for each in others + [operation] { try rows.insert(each) }
        }
        let record = try #require(try await History.record(operation.id, in: ledger))
        return PrintedReceipt(record, currency, header: header, isCopy: isCopy)
    }

    /// The receipt of a change without a card, in a ledger of its own.
    private static func receipt(
        _ change: CardlessOperation, currency: Currency = .usd
    ) async throws -> PrintedReceipt {
        let ledger = InMemoryLedger(currency: currency)
        _ = try await ledger.book(change)
        let record = try #require(try await History.record(change.id, in: ledger))
        return PrintedReceipt(record, currency, header: nil)
    }

    static func operation(
        _ kind: Operation.Kind, _ amount: Int64 = 350, reverses: OperationID? = nil,
        subject: Subject? = nil, lines: [SaleLine] = [], cashier: String? = nil,
        state: Operation.State = .committed, balance: Int64? = 1_650
    ) throws -> Operation {
        Operation(
            id: try #require(OperationID("6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60")),
            uid: try #require(uid), kind: kind, amount: amount, reverses: reverses,
            subject: subject, lines: lines,
            by: Requester(try cashier.map { try CashierName($0) }, till: try TillName("2")),
            beganAt: Timestamp(milliseconds: 1_700_000_000_000), state: state,
            balanceAfter: balance)
    }

    private static func text(_ receipt: PrintedReceipt) -> [String] {
        receipt.lines().map(\.text)
    }

    private func sale() throws -> Operation {
        let lines = [
            try SaleLine(name: try SaleText("Coffee"), price: 350, quantity: 2),
            try SaleLine(
                name: try SaleText("Sandwich with a name that needs 2 lines"), price: 500),
            try SaleLine(name: try SaleText("Cup"), price: -200),
        ]
        let rest = try #require(TenderedAmount(.cash, 100))
        return try Self.operation(
            .pay, 900, subject: .rest(rest), lines: lines, cashier: "Ann")
    }

    @Test("A sale names the shop, what was sold, how it was paid, and the new balance")
    func sold() async throws {
        let receipt = try await Self.receipt(
            sale(), header: "Café Amanda\nMain street 1", isCopy: false)
        let text = Self.text(receipt)
        #expect(text[0] == String(repeating: " ", count: 15) + "Café Amanda")
        #expect(text.contains("Cashier: Ann"))
        #expect(text.contains("No. 6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60"))
        #expect(text.contains("2 x Coffee, $3.50 each               $7.00"))
        let first = try #require(text.firstIndex { $0.hasPrefix("Sandwich") })
        #expect(text[first] == "Sandwich with a name that needs 2")
        #expect(text[first + 1] == "lines                                $5.00")
        #expect(text.contains("Cup                                 -$2.00"))
        #expect(text.contains("Total                               $10.00"))
        #expect(text.contains("Card ...6C80                         $9.00"))
        #expect(text.contains("Cash                                 $1.00"))
        #expect(text.contains("New balance                         $16.50"))
        #expect(text.joined(separator: " ").contains("certified fiscal register"))
        #expect(!text.joined().contains("04AC6B72BA6C80"))
        #expect(text.allSatisfy { $0.cellCount <= PrintedReceipt.width })
        #expect(receipt.movesCash)
        #expect(!text.contains("COPY"))
        #expect(Self.text(try await Self.receipt(sale(), isCopy: true)).contains("COPY"))
    }

    @Test("A refund names the payment and returns both parts")
    func refunded() async throws {
        let paid = try #require(OperationID("7f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60"))
        let rest = try #require(TenderedAmount(.cash, 100))
        let payment = Operation(
            id: paid, uid: try #require(Self.uid), kind: .pay, amount: 350, subject: .rest(rest),
            beganAt: Timestamp(milliseconds: 1), state: .committed)
        let receipt = try await Self.receipt(
            Self.operation(.refund, reverses: paid), beside: [payment])
        let text = Self.text(receipt)
        #expect(text.contains("No. \(paid)"))
        #expect(text.contains("Refunded                             $4.50"))
        #expect(text.contains("Card ...6C80                         $3.50"))
        #expect(text.contains("Cash                                 $1.00"))
        #expect(receipt.movesCash)
    }

    @Test("An unfinished payment has no receipt, and an unwritten top-up has one")
    func unfinished() async throws {
        func text(_ kind: Operation.Kind, _ state: Operation.State) async throws -> String {
            Self.text(try await Self.receipt(Self.operation(kind, state: state, balance: nil)))
                .joined(separator: "\n")
        }
        #expect(try await text(.pay, .pending).contains("Not finished. This is not a receipt."))
        #expect(try await text(.pay, .voided).contains("Voided. Nothing was charged or paid."))
        #expect(try await text(.add, .pending).contains("not yet written to the card."))
        #expect(try await !text(.pay, .committed).contains("Not finished"))
    }

    /// A prize needs a ticket in the ledger; its sessions show it.
    @Test("A sale without a card shows how it was paid, the rounding, and the change")
    func cardless() async throws {
        let id = try #require(OperationID("6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60"))
        let soup = try SaleLine(name: try SaleText("Soup"), price: 352)
        let sale = CardlessOperation(
            id: id, kind: .sale, amount: 352, rounding: -2, given: 500, lines: [soup],
            by: Requester(try CashierName("Ann")), at: Timestamp(milliseconds: 1_700_000_000_000))
        let francs = try #require(Currency(code: "CHF"))
        let receipt = try await Self.receipt(sale, currency: francs)
        for (text, fact) in [
            ("Soup", "CHF 3.52"), ("Total", "CHF 3.52"), ("Rounding", "-CHF 0.02"),
            ("Cash", "CHF 3.50"), ("Received", "CHF 5.00"), ("Change", "CHF 1.50"),
        ] {
            #expect(Self.text(receipt).contains { $0.hasPrefix(text) && $0.hasSuffix(fact) })
        }
        #expect(receipt.movesCash)
        #expect(Self.text(receipt).contains("Cashier: Ann"))
        #expect(Self.text(receipt).contains("No. \(id)"))
    }

    @Test("Undoing returned deposits takes money in, and undoing a sale gives it back")
    func undone() async throws {
        let id = try #require(OperationID("6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60"))
        for (amount, word) in [(Int64(500), "Total"), (-500, "Returned")] {
            let undo = CardlessOperation(
                id: id, kind: .undo, amount: amount, reverses: id,
                at: Timestamp(milliseconds: 1_700_000_000_000))
            let text = Self.text(try await Self.receipt(undo))
            #expect(text.contains { $0.hasPrefix(word) && $0.hasSuffix(" $5.00") }, "\(text)")
            #expect(text.contains { $0.hasPrefix("Cash") && $0.hasSuffix(" $5.00") })
        }
    }

    @Test("A terminal's sale leaves the drawer closed, and a change of the drawer has a reason")
    func otherCardless() async throws {
        let id = try #require(OperationID("6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60"))
        let time = Timestamp(milliseconds: 1_700_000_000_000)
        let soup = try SaleLine(name: try SaleText("Soup"), price: 350)
        let sale = CardlessOperation(
            id: id, kind: .sale, amount: 350, tender: .terminal, lines: [soup], at: time)
        #expect(try await !Self.receipt(sale).movesCash)
        let taken = CardlessOperation(
            id: id, kind: .cashOut, amount: -1_240, reason: try SaleText("Milk"), at: time)
        let receipt = try await Self.receipt(taken)
        let text = Self.text(receipt)
        #expect(text.contains("Cash taken out of the drawer") && text.contains("Milk"))
        #expect(text.contains("Amount                              $12.40"))
        #expect(receipt.movesCash)
    }

    @Test(
        "Every kind of operation has a receipt",
        arguments: Operation.Kind.allCases.filter { !$0.recordsPrize }
    )
    func kinds(_ kind: Operation.Kind) async throws {
        let text = Self.text(try await Self.receipt(Self.operation(kind)))
        #expect(text.contains { $0.hasPrefix("New balance") })
        #expect(text.allSatisfy { $0.cellCount <= PrintedReceipt.width }, "\(text)")
    }

    @Test("Cash moves with a top-up in cash, and not with one at a terminal or a payment")
    func drawer() async throws {
        func movesCash(_ kind: Operation.Kind, _ subject: Subject? = nil) async throws -> Bool {
            try await Self.receipt(Self.operation(kind, subject: subject)).movesCash
        }
        #expect(try await movesCash(.add))
        #expect(try await movesCash(.close))
        #expect(try await !movesCash(.add, .paid(.terminal)))
        #expect(try await !movesCash(.pay))
        #expect(try await !movesCash(.refund))
    }
}
