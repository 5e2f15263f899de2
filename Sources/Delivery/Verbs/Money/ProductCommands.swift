import Ledger
import TapcardCore
import TapcardDomain
import TextCodecs

extension ValueType<SaleText> {
    /// The name of a product or group, or the reason for a change of the drawer.
    static var saleText: Self {
        Self(form: .text(1...4 * SaleText.maximumLength)) { text, _ throws(TapcardError) in
            try translating(SaleText(text)) { (error: Refusal) in TapcardError(error) }
        }
    }
}

extension Parameter<SaleText> {
    fileprivate static var newName: Self {
        .argument("NAME", .saleText, "Name, up to \(SaleText.maximumLength) characters")
    }
}

extension Parameter<String> {
    fileprivate static var product: Self {
        .argument("PRODUCT", .text(1...160), "Name or ID of the product")
    }
}

extension Parameter<SaleText?> {
    fileprivate static var name: Self { .option("name", "NAME", .saleText, "New name") }
}

extension Parameter<String?> {
    fileprivate static var price: Self {
        .option(
            "price", "PRICE", .text(1...12), "Price, or `ask` to enter it for each sale")
    }
    fileprivate static var group: Self {
        .option(
            "group", "GROUP", .text(1...160),
            "Group on the till page, or `none`")
    }
    fileprivate static var color: Self {
        .option(
            "color", "COLOR", .oneOfOrNone(Product.Color.allCases.map(\.rawValue)),
            "Color of the tile")
    }
    fileprivate static var deposit: Self {
        .option(
            "deposit", "PRODUCT", .text(1...160),
            "Deposit to charge with this product, such as Cup, or `none`")
    }
    fileprivate static var minimumAge: Self {
        .option(
            "minimum-age", "YEARS", .text(1...4),
            "Minimum age that the cashier has to check, \(Product.possibleAges.words), or `none`")
    }
    fileprivate static var soldOut: Self {
        .option(
            "sold-out", "YES", .oneOfOrNone(["yes", "no"], none: false),
            "Whether the product is sold out: yes or no")
    }
}

extension Parameter<Int?> {
    fileprivate static var position: Self {
        .option(
            "position", "N", .wholeNumber(Product.possiblePositions, orSay: "Nothing was changed."),
            "Position of the tile; lower numbers come first")
    }
}

extension ValueType<String> {
    /// One of the given words or, unless `none` is false, the word `none`.
    fileprivate static func oneOfOrNone(_ words: [String], none: Bool = true) -> Self {
        let words = none ? words + ["none"] : words
        return Self(form: .choice(words), choices: words) { text, row throws(TapcardError) in
            guard words.contains(text) else {
                throw TapcardError.usage(
                    "\(text.quotation) is not one of the choices for --\(row.name).")
            }
            return text
        }
    }
}

extension Command {
    static let productCommands: [Command] = [
        Command(
            "products list", group: .money, "List the products that tills sell",
            page: .get("products", reader: .never, for: .sellers), answers: .products,
            example: "tapcard products list", run: ProductCommands.list),
        Command(
            "products add", group: .money, "Add a product",
            discussion: "Without `--price`, the cashier enters the price for each sale. A deposit, "
                + "such as for a cup, is itself a product with a fixed price. Add it first, then "
                + "name it with `--deposit` for each product that needs it.",
            takes: .newName, .price, .group, .color, .position, .deposit, .minimumAge,
            page: .post("products/add", reader: .never, for: .owners), answers: .product,
            example: "tapcard products add Coffee --price 3.50 --group Drinks",
            run: ProductCommands.add),
        Command(
            "products change", group: .money, "Change a product",
            discussion: "Earlier sales keep their names and prices.",
            takes: .product, .name, .price, .group, .color, .position, .deposit, .minimumAge,
            .soldOut, page: .post("products/change", reader: .never, for: .owners),
            answers: .product,
            example: "tapcard products change Coffee --price 3.80", run: ProductCommands.change),
        Command(
            "products retire", group: .money, "Stop selling a product",
            discussion: "Sales and reports keep the product. To sell it again, add a product with "
                + "the same name and enter its price and other values again.",
            takes: .product, page: .post("products/retire", reader: .never, for: .owners),
            answers: .product,
            example: "tapcard products retire Coffee", run: ProductCommands.retire),
        Command(
            "products export", group: .money, "Write the products to a CSV file",
            takes: .newFile, answers: .file, example: "tapcard products export products.csv",
            run: ProductCommands.export),
        Command(
            "products import", group: .money, "Add and change products from a CSV file",
            discussion: "The first line names the columns, as in `tapcard products export`: name, "
                + "group, price, color, position, deposit, minimum-age, and sold-out. Only name is "
                + "required. A product with the same name is changed, and a retired one is sold "
                + "again; products that are not in the file stay as they are. An empty cell "
                + "removes a color or a minimum age, but leaves any other value as it is; to "
                + "remove a group or a deposit, enter `none`. If any row is invalid, nothing is "
                + "changed.",
            takes: .file("CSV file, or `-` for standard input"), answers: .importedProducts,
            example: "tapcard products import products.csv", run: ProductCommands.importFile),
    ]
}

/// A product as shown in JSON.
struct ShownProduct: DocumentedObject {
    let product: Product
    let currency: Currency

    static let fields: Fields<ShownProduct> = [
        "id": .of(\.product.id), "name": .of(\.product.name), "group": .of(\.product.group),
        "price": .of { shown in
            shown.product.price.map { Money(minorUnits: $0, shown.currency) }
        },
        "color": .of(\.product.color), "position": .of(\.product.position),
        "deposit": .of(\.product.deposit), "minimumAge": .of(\.product.minimumAge),
        "soldOut": .of(\.product.isSoldOut), "retired": .of(\.product.isRetired),
    ]
}

enum ProductCommands {
    /// The columns of a CSV file, in the order in which they are exported.
    static let columns = [
        "name", "group", "price", "color", "position", "deposit", "minimum-age", "sold-out",
    ]

    /// All products in the ledger, including retired ones.
    static func products(in ledger: any LedgerStore) async throws(TapcardError) -> [Product] {
        try await translating(
            awaiting: try await ledger.read { rows throws(LedgerError) in try rows.products() },
            into: { (error: LedgerError) in TapcardError(error) })
    }

    /// Lists the products that are for sale. The JSON output also includes retired ones.
    static func list(in session: Session) async throws(TapcardError) -> Report {
        let ledger = try await session.ledger(making: false)
        let products = try await Self.products(in: ledger)
        let shown = products.filter { !$0.isRetired }
        let rows = shown.map { product in
            [
                product.group?.text.shown ?? "", product.name.text.shown,
                product.price.map { Money(minorUnits: $0, ledger.currency).shown } ?? "ask",
                product.isSoldOut ? "sold out" : "",
            ]
        }
        let widths = (0..<4).map { column in rows.map { $0[column].cellCount }.max() ?? 0 }
        let lines = rows.map { row in
            zip(row, widths).map { $0.padded($1) }.joined(separator: "  ").trimmingSpaces
                .description
        }
        return Report(
            [
                "products": products.map { ShownProduct(product: $0, currency: ledger.currency) }
                    .document
            ],
            lines.isEmpty ? ["No products; to add one, run: tapcard products add"] : lines,
            isPlain: true)
    }

    /// Adds a product. A retired product with this name comes back under its old ID, but without
    /// its old values.
    static func add(in session: Session) async throws(TapcardError) -> Report {
        let name = session[.newName]
        let given = GivenProduct(session)
        let id = session.dependencies.newID()
        return try await write(session, "Added") { products, reader throws(TapcardError) in
            if let known = products.first(where: { $0.isNamed(name) }) {
                guard known.isRetired else {
                    throw refusal("there is already a product named \(known.name)")
                }
                // A product that comes back keeps its ID, so that reports see it as the same.
                var product = Product(id: known.id, name: name, price: nil)
                try reader.apply(given, to: &product, among: products)
                return product
            }
            var product = Product(id: id, name: name, price: nil)
            try reader.apply(given, to: &product, among: products)
            return product
        }
    }

    /// Changes the given values of a product. Throws if the new name is already taken.
    static func change(in session: Session) async throws(TapcardError) -> Report {
        let (reference, given) = (session[.product], GivenProduct(session))
        return try await write(session, "Changed") { products, reader throws(TapcardError) in
            var product = try reader.product(reference, among: products)
            if let name = given.name {
                guard !products.contains(where: { $0.isNamed(name) && $0.id != product.id }) else {
                    throw refusal("there is already a product named \(name)")
                }
                product.name = name
            }
            try reader.apply(given, to: &product, among: products)
            return product
        }
    }

    /// Stops selling a product, which stays in the ledger for reports.
    static func retire(in session: Session) async throws(TapcardError) -> Report {
        let reference = session[.product]
        return try await write(session, "Retired") { products, reader throws(TapcardError) in
            var product = try reader.product(reference, among: products)
            product.isRetired = true
            return product
        }
    }

    /// Saves one new or changed product, and reports it. `done` is what was done, such as "Added".
    private static func write(
        _ session: Session, _ done: String,
        _ change: @escaping @Sendable ([Product], ProductReader) throws(TapcardError) -> Product
    ) async throws(TapcardError) -> Report {
        let ledger = try await session.ledger()
        let reader = ProductReader(settings: session.settings, currency: ledger.currency)
        let outcome = try await changing(ledger) { products throws(TapcardError) in
            [try change(products, reader)]
        }
        let product = ShownProduct(product: outcome[0], currency: ledger.currency)
        return Report(
            ["product": product.document], ["\(done): \(product.product.name.text.shown)"],
            isChange: true)
    }

    /// Saves the products that `change` returns. `change` gets all products, and may run more than
    /// once; if it throws, nothing is saved.
    static func changing(
        _ ledger: any LedgerStore,
        _ change: @escaping @Sendable ([Product]) throws(TapcardError) -> [Product]
    ) async throws(TapcardError) -> [Product] {
        let result: Result<[Product], TapcardError> = try await translating(
            awaiting: try await ledger.write { rows throws(LedgerError) in
                let products = try rows.products()
                let changed: [Product]
                do throws(TapcardError) {
                    changed = try change(products)
                } catch {
                    return .failure(error)
                }
                for product in changed { try rows.save(product) }
                return .success(changed)
            }, into: { (error: LedgerError) in TapcardError(error) })
        return try result.get()
    }

    static func refusal(_ what: String) -> TapcardError {
        TapcardError(Refusal(.wrongState, what))
    }
}

/// A product's values as typed, including `ask` and `none`. Those that are nil stay as they are.
struct GivenProduct: Sendable {
    var name: SaleText?
    var price: String?
    var group: String?
    var color: String?
    var position: Int?
    var deposit: String?
    var minimumAge: String?
    var soldOut: String?

    init() {}

    init(_ session: Session) {
        (name, price, group) = (session[.name], session[.price], session[.group])
        (color, position) = (session[.color], session[.position])
        (deposit, minimumAge) = (session[.deposit], session[.minimumAge])
        soldOut = session[.soldOut]
    }
}

/// Checks values as typed, and sets them on products.
struct ProductReader: Sendable {
    /// The word that removes a value.
    static let none = "none"

    let settings: Settings
    let currency: Currency

    /// Finds a product by ID or by name, ignoring case. A retired product is found by name only if
    /// no other product has that name.
    func product(_ reference: String, among products: [Product]) throws(TapcardError) -> Product {
        if let id = ProductID(reference), let product = products.first(where: { $0.id == id }) {
            return product
        }
        let name = try? SaleText(reference)
        let named = products.filter { product in name.map(product.isNamed) ?? false }
        guard let product = named.first(where: { !$0.isRetired }) ?? named.first else {
            throw TapcardError(
                .refusal(.notForSale), "There is no product named \(reference.quotation).",
                meaning: "Nothing was changed.",
                advice: "To list the products, run: tapcard products list")
        }
        return product
    }

    /// Sets the given values. If one is not valid, this throws, and earlier ones may already be
    /// set.
    func apply(
        _ given: GivenProduct, to product: inout Product, among products: [Product]
    ) throws(TapcardError) {
        if let price = given.price { product.price = try self.price(price) }
        if let group = given.group {
            product.group = group == ProductReader.none ? nil : try saleText(group)
        }
        if let color = given.color { product.color = Product.Color(rawValue: color) }
        product.position = given.position ?? product.position
        if let deposit = given.deposit {
            product.deposit =
                deposit == ProductReader.none
                ? nil : try self.deposit(deposit, of: product, products)
        }
        if let age = given.minimumAge {
            guard age == ProductReader.none || Int(age).map(Product.possibleAges.contains) == true
            else {
                throw TapcardError.usage(
                    "The age must be \(Product.possibleAges.words) years or none, not "
                        + "\(age.quotation).")
            }
            product.minimumAge = Int(age)
        }
        if let soldOut = given.soldOut { product.isSoldOut = soldOut == "yes" }
    }

    private func saleText(_ text: String) throws(TapcardError) -> SaleText {
        try translating(SaleText(text)) { (error: Refusal) in TapcardError(error) }
    }

    /// The price in minor units; nil for `ask`.
    private func price(_ text: String) throws(TapcardError) -> Int64? {
        if text == "ask" { return nil }
        let price = try translating(settings.amount(text, currency)) { (error: Refusal) in
            TapcardError(error)
        }
        guard Product.possiblePrices.contains(price.minorUnits) else {
            throw ProductCommands.refusal("the price \(price.shown) is too high")
        }
        return price.minorUnits
    }

    /// Finds the deposit for a product. Throws if the deposit has no fixed price, or if a deposit
    /// would get a deposit of its own.
    private func deposit(
        _ reference: String, of product: Product, _ products: [Product]
    ) throws(TapcardError) -> ProductID {
        let deposit = try self.product(reference, among: products)
        guard deposit.id != product.id, deposit.deposit == nil,
            !products.contains(where: { $0.deposit == product.id })
        else {
            throw ProductCommands.refusal("a deposit cannot have a deposit of its own")
        }
        // A deposit that is returned has to be worth what was paid for it.
        guard deposit.price != nil else {
            throw ProductCommands.refusal("the deposit \(deposit.name) needs a fixed price")
        }
        return deposit.id
    }
}

extension Product {
    /// Whether the product has this name, ignoring case.
    func isNamed(_ name: SaleText) -> Bool {
        self.name.text.lowercased() == name.text.lowercased()
    }
}
