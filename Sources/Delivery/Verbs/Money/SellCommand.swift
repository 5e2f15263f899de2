import BlockingLane
import Ledger
import TapcardCore
package import TapcardDomain
import TextCodecs

/// Something to sell or take back, as typed or as sent by a page.
package enum SaleItem: Sendable, Hashable {
    /// Text from a command line, such as `2xCoffee` or `Cake=3`.
    case words(String)
    /// A line from a page, with the price of one piece. The price is negative for a returned
    /// deposit.
    case line(product: ProductID?, name: String?, price: String, quantity: Int)
}

/// The part of a sale that is not paid with the card, as typed, before its currency is known.
package struct TypedRest: Sendable, Hashable {
    let tender: Tender
    let amount: String
}

extension ValueType<SaleItem> {
    /// An item: text on the command line, or a list of lines in JSON.
    static var saleItem: Self {
        Self(
            form: .saleLines,
            decode: { member in
                guard let lines = member.array, (1...[SaleLine].maximumCount).contains(lines.count)
                else { return nil }
                var items: [SaleItem] = []
                for line in lines {
                    guard let item = SaleItem(line) else { return nil }
                    items.append(item)
                }
                return items
            }, parse: { text, _ in .words(text) })
    }
}

extension SaleItem {
    /// Whether it was entered as text, so that its name and price are looked up.
    fileprivate var isText: Bool { if case .words = self { true } else { false } }

    private static let names: Set<String> = ["product", "name", "price", "quantity"]

    /// Reads a line from a page; nil if the price is missing, or if any member is not valid.
    fileprivate init?(_ line: JSONValue) {
        guard let members = line.members, let price = line["price"]?.string,
            members.allSatisfy({ SaleItem.names.contains($0.key) }),
            Set(members.map(\.key)).count == members.count
        else { return nil }
        // The outer optional is nil if the value is not valid; the inner one, if there is none.
        func optional<Value>(_ name: String, _ make: (JSONValue) -> Value?) -> Value?? {
            guard let member = line[name], member != .null else { return .some(nil) }
            return make(member).map { .some(.some($0)) } ?? nil
        }
        guard let product = optional("product", { $0.string.flatMap { ProductID($0) } }),
            let name = optional("name", \.string),
            let quantity = optional("quantity", { $0.numberText.flatMap(Int.init) })
        else { return nil }
        self = .line(product: product, name: name, price: price, quantity: quantity ?? 1)
    }
}

extension ValueType<TypedRest> {
    /// A tender with an amount: `cash=2.50` on the command line, or an object in JSON.
    static var rest: Self {
        Self(
            form: .rest,
            decode: { member in
                guard member.members?.count == 2, let amount = member["amount"]?.string,
                    let tender = member["tender"]?.string.flatMap(Tender.init)
                else { return nil }
                return [TypedRest(tender: tender, amount: amount)]
            },
            parse: { text, row throws(TapcardError) in
                let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
                guard parts.count == 2, let tender = Tender(rawValue: parts[0]) else {
                    throw TapcardError.usage(
                        "The value for --\(row.name) must be a way to pay and an amount, such as "
                            + "cash=2.50, not \(text.quotation).")
                }
                return TypedRest(tender: tender, amount: parts[1])
            })
    }
}

extension Parameter<[SaleItem]> {
    static var items: Self {
        .arguments(
            "ITEM", .saleItem, "Product to sell, as NAME, 2xNAME, or NAME=PRICE",
            isRequired: false, page: .other("lines"))
    }
    static var returned: Self {
        .options("returned", "ITEM", .saleItem, "Returned deposit, as NAME or 2xNAME")
    }
}

extension Parameter<TypedRest?> {
    static var rest: Self {
        .option(
            "rest", "WAY=AMOUNT", .rest,
            "Part not paid with the card; WAY is cash, terminal, or other")
    }
}

extension Command {
    static let sell = Command(
        "sell", group: .money, "Sell products and charge the card for them",
        discussion: "The card is charged for the products at their current prices, plus their "
            + "deposits, minus the deposits that the customer returns (`--returned`). If the "
            + "returned deposits are worth more, the difference is added to the card, up to "
            + "`credit-limit`. For a product without a fixed price, enter NAME=PRICE. With "
            + "`--rest`, the card pays the sale minus this amount, and you collect the rest. "
            + "`--yes` also confirms that you checked the customer's age. To charge an amount "
            + "without products, use `tapcard pay`.\n\nWith `--tender`, the customer pays without "
            + "a card, and no reader is needed. In currencies without small coins, cash is "
            + "rounded. With `--given`, the command reports the change. If the returned deposits "
            + "are worth more than the products, use `--tender cash` and pay out the difference, "
            + "up to `credit-limit`. While the ledger is offline, a sale without a card is "
            + "refused. To undo a sale, use `tapcard refund`.",
        takes: .items, .returned, .rest, .paidWithoutCard, .given, .operation, .card, .again,
        .confirmedAmount,
        page: .post("sell", reader: .without(Parameter<Tender?>.paidWithoutCard), for: .sellers),
        answers: .anyReceipt,
        example: "tapcard sell 2xCoffee Cake",
        run: SellCommand.sell)
}

enum SellCommand {
    /// Sells products for a card's balance or, with `--tender`, without a card.
    static func sell(in session: Session) async throws(TapcardError) -> Report {
        let (items, returned) = (session[.items], session[.returned])
        guard !items.isEmpty || !returned.isEmpty else {
            throw TapcardError.usage("No products were given.")
        }
        @Sendable func lines(
            _ ledger: (any LedgerStore)?, _ currency: Currency
        ) async throws(TapcardError) -> [SaleLine] {
            // The ledger answers for a request that it knows, even if a product has changed since.
            let isKnown = try await isRecorded(session[.operation], in: ledger)
            var products: [Product]?
            if let ledger, !isKnown || items.contains(where: \.isText) || !returned.isEmpty {
                let current = try await ProductCommands.products(in: ledger)
                session.serviceCache.products.withLock { $0 = current }
                products = current
            } else if ledger == nil {
                products = session.serviceCache.products.withLock { $0 }
            }
            return try SaleLines(
                products: products, currency: currency, settings: session.settings,
                isAgeChecked: session[.confirmed] || isKnown
            ).lines(of: items, returned: returned)
        }
        if let tender = session[.paidWithoutCard] {
            guard session[.rest] == nil, session[.card] == nil else {
                throw TapcardError.usage(
                    "A sale with --tender is paid without a card; leave out --rest and --card.")
            }
            let ledger = try await session.ledger()
            return try await CardlessCommands.sell(
                try await lines(ledger, ledger.currency), tender, from: ledger, in: session)
        }
        guard session[.given] == nil else {
            throw TapcardError.usage("--given is only for a sale with --tender cash.")
        }
        return try await MoneyCommands.take(in: session) { ledger, currency throws(TapcardError) in
            let lines = try await lines(ledger, currency)
            let rest = try rest(session, currency)
            let amount = lines.total - (rest?.amount ?? 0)
            guard amount != 0, rest == nil || amount > 0 else {
                throw TapcardError(
                    Refusal(
                        .badAmount,
                        "the sale leaves \(Money(minorUnits: amount, currency).shown) for the card, "
                            + "so there is nothing to charge"))
            }
            return (Money(minorUnits: amount, currency), Sale(lines, rest: rest))
        }
    }

    /// Whether the ledger has recorded a request with this ID. False if there is no ID, or if the
    /// ledger is offline.
    private static func isRecorded(
        _ id: OperationID?, in ledger: (any LedgerStore)?
    ) async throws(TapcardError) -> Bool {
        guard let id, let ledger else { return false }
        if try await queryingLedger(await ledger.answer(to: id)) != nil { return true }
        return try await queryingLedger(await ledger.cardless(id)) != nil
    }

    /// The part of the sale that is not paid with the card; nil if there is none.
    private static func rest(
        _ session: Session, _ currency: Currency
    ) throws(TapcardError) -> TenderedAmount? {
        guard let typed = session[.rest] else { return nil }
        let amount = try translating(session.settings.amount(typed.amount, currency)) {
            (error: Refusal) in TapcardError(error)
        }
        guard let rest = TenderedAmount(typed.tender, amount.minorUnits) else {
            throw TapcardError(
                Refusal(.badAmount, "the rest of \(amount.shown) must be more than 0"))
        }
        return rest
    }
}

/// Makes the lines of a sale from its items, and checks them against the products.
private struct SaleLines {
    /// The ledger's products, or those last read if it is offline; nil if there are none. Without
    /// them, the prices of a page's
    /// lines are not checked, and text from a command line is refused.
    let products: [Product]?
    let currency: Currency
    let settings: Settings
    /// Whether the cashier has confirmed the customer's age.
    let isAgeChecked: Bool

    /// The lines of the sale: the items with their deposits, then the returned deposits.
    func lines(
        of items: [SaleItem], returned: [SaleItem]
    ) throws(TapcardError) -> [SaleLine] {
        var lines: [SaleLine] = []
        for item in items { lines += try sold(item) }
        for item in returned { lines.append(try self.returned(item)) }
        return lines
    }

    /// The lines for one item. If it was typed, its deposit is added; a page sends deposits as
    /// lines of their own.
    private func sold(_ item: SaleItem) throws(TapcardError) -> [SaleLine] {
        switch item {
        case .line(let id, let name, let price, let quantity):
            return [try given(id, name, price, quantity)]
        case .words(let words):
            let entered = try entered(words)
            let product = entered.product
            try requireForSale(product)
            let price = try entered.price.map { text throws(TapcardError) in try amount(text) }
            guard let price = product.price ?? price else {
                throw refusal("\(product.name) has no fixed price; enter \(product.name)=PRICE")
            }
            guard entered.price == nil || product.price == nil else {
                throw refusal("\(product.name) has a fixed price of \(money(price).shown)")
            }
            var lines = [try line(product, price, entered.quantity)]
            if let deposit = self.product(product.deposit) {
                lines.append(try line(deposit, deposit.price ?? 0, entered.quantity))
            }
            return lines
        }
    }

    /// The line for a returned deposit, with the deposit's current price as a negative amount.
    private func returned(_ item: SaleItem) throws(TapcardError) -> SaleLine {
        guard case .words(let words) = item else {
            throw TapcardError.usage("A returned deposit is a line with a negative price.")
        }
        let entered = try entered(words)
        guard isDeposit(entered.product), let price = entered.product.price else {
            throw refusal("\(entered.product.name) is not a deposit, so it cannot be returned")
        }
        return try line(entered.product, -price, entered.quantity)
    }

    /// The line for an item from a page. Throws if the product cannot be sold, or if its price has
    /// changed.
    private func given(
        _ id: ProductID?, _ name: String?, _ price: String, _ quantity: Int
    ) throws(TapcardError) -> SaleLine {
        let isReturned = price.hasPrefix("-")
        var price = try amount(isReturned ? String(price.dropFirst()) : price)
        if isReturned { price = -price }
        if let id, products != nil {
            guard let product = product(id) else {
                throw refusal("the product \(name ?? "\(id)") is not in this ledger")
            }
            if isReturned {
                guard isDeposit(product), product.price == -price else {
                    throw refusal("\(product.name) cannot be returned for \(money(-price).shown)")
                }
            } else {
                try requireForSale(product)
                guard product.price == nil || product.price == price else {
                    throw refusal(
                        "\(product.name) now costs \(money(product.price ?? 0).shown)")
                }
            }
            return try line(product, price, quantity)
        }
        // Only a deposit may lower the amount due.
        guard price > 0 || id != nil else {
            throw TapcardError(
                Refusal(.badAmount, "the price of a line without a product must be more than 0"))
        }
        return try translated { () throws(Refusal) in
            try SaleLine(
                product: id, name: try SaleText(name ?? "Amount"), price: price, quantity: quantity)
        }
    }

    private typealias Entered = (product: Product, quantity: Int, price: String?)

    /// Splits typed text, such as `2xCoffee` or `Cake=3`, into product, quantity, and price. The
    /// price is nil if none was typed.
    private func entered(_ words: String) throws(TapcardError) -> Entered {
        // A product's name can itself look like a quantity or a price, so try the whole text first.
        if let product = product(named: words) { return (product, 1, nil) }
        let count = words.prefix { $0.isASCII && $0.isNumber }
        let rest = words.dropFirst(count.count)
        var (quantity, text) = (1, words)
        if let number = Int(count), rest.first == "x" || rest.first == "X" {
            (quantity, text) = (number, String(rest.dropFirst()))
        }
        if let product = product(named: text) { return (product, quantity, nil) }
        if let sign = text.lastIndex(of: "="), let product = product(named: String(text[..<sign])) {
            return (product, quantity, String(text[text.index(after: sign)...]))
        }
        guard products != nil else {
            throw TapcardError(
                .ledgerOffline, "The ledger is offline, so the products cannot be looked up.",
                meaning: TapcardError.unchanged,
                advice: "Charge the amount: tapcard pay AMOUNT")
        }
        throw refusal(
            "there is no product named \(text.quotation); to list the products, run tapcard "
                + "products list")
    }

    /// The product with this name, ignoring case; nil if there is none or it is retired.
    private func product(named name: String) -> Product? {
        products?.first { !$0.isRetired && $0.name.text.lowercased() == name.lowercased() }
    }

    private func product(_ id: ProductID?) -> Product? {
        id.flatMap { id in products?.first { $0.id == id } }
    }

    /// Whether another product is sold with this one as its deposit.
    private func isDeposit(_ product: Product) -> Bool {
        products?.contains { $0.deposit == product.id } ?? false
    }

    /// Throws if the product is retired, sold out, or needs an age check that has not been made.
    private func requireForSale(_ product: Product) throws(TapcardError) {
        guard !product.isRetired else { throw refusal("\(product.name) is no longer sold") }
        guard !product.isSoldOut else { throw refusal("\(product.name) is sold out") }
        guard let age = product.minimumAge, !isAgeChecked else { return }
        throw TapcardError(
            .confirmationNeeded,
            "\(product.name) may be sold only to customers who are at least \(age) years old.",
            meaning: TapcardError.unchanged, next: [.request(.confirm)])
    }

    private func line(
        _ product: Product, _ price: Int64, _ quantity: Int
    ) throws(TapcardError) -> SaleLine {
        try translated { () throws(Refusal) in
            try SaleLine(
                product: product.id, name: product.name, price: price, quantity: quantity)
        }
    }

    private func amount(_ text: String) throws(TapcardError) -> Int64 {
        try translated { () throws(Refusal) in try settings.amount(text, currency).minorUnits }
    }

    private func translated<Value>(
        _ body: () throws(Refusal) -> Value
    ) throws(TapcardError) -> Value {
        try translating(try body()) { (error: Refusal) in TapcardError(error) }
    }

    private func money(_ units: Int64) -> Money { Money(minorUnits: units, currency) }

    private func refusal(_ what: String) -> TapcardError {
        TapcardError(Refusal(.notForSale, what))
    }
}
