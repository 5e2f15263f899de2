import BlockingLane
import Ledger
import TapcardCore
import TapcardDomain
import TextCodecs

/// Products in CSV files.
extension ProductCommands {
    /// Writes the products that are for sale to a new CSV file or to standard output.
    static func export(in session: Session) async throws(TapcardError) -> Report {
        let file = NamedFile(session[.newFile])
        try file.requireOutput("The products", session.outputOptions)
        try file.requireAbsent()
        let ledger = try await session.ledger(making: false)
        let products = try await Self.products(in: ledger)
        let names = Dictionary(products.map { ($0.id, $0.name.text) }, uniquingKeysWith: { $1 })
        let rows = products.filter { !$0.isRetired }.map { product in
            [
                product.name.text, product.group?.text ?? "",
                product.price.map { Money(minorUnits: $0, ledger.currency).description } ?? "ask",
                product.color?.rawValue ?? "", String(product.position),
                product.deposit.flatMap { names[$0] } ?? "",
                product.minimumAge.map { String($0) } ?? "", product.isSoldOut ? "yes" : "no",
            ]
        }
        let text = ([columns] + rows).map { CSVText.line($0) }.joined()
        // The table is printed unchanged, because it is meant for a file or another program.
        if file.isStream {
            session.output.write(text)
            return .nothing
        }
        try file.write(text)
        return Report(["file": .string(file.path)], ["Written: \(file.path)"])
    }

    /// Adds and changes products from a CSV file. A retired product that is in the file is sold
    /// again.
    ///
    /// - Throws: An error if any row is not valid. In that case, nothing is saved.
    static func importFile(in session: Session) async throws(TapcardError) -> Report {
        let file = NamedFile(session[.file()])
        let content = try file.content()
        let table = try translating(CSVText.rows(content)) { (error: CSVText.Malformed) in
            invalid("\(file.displayName) is not a valid CSV file (line \(error.line))")
        }
        let header = (table.first ?? []).map { $0.trimmingSpaces.lowercased() }
        guard header.contains("name"), header.allSatisfy(columns.contains),
            Set(header).count == header.count
        else {
            throw invalid(
                "the first line of \(file.displayName) must name the columns: "
                    + columns.joined(separator: ", "))
        }
        var rows: [GivenProduct] = []
        for (index, cells) in table.dropFirst().enumerated() {
            rows.append(try given(cells, header, row: index + 1))
        }
        let ledger = try await session.ledger()
        let reader = ProductReader(settings: session.settings, currency: ledger.currency)
        let ids = rows.map { _ in session.dependencies.newID() }
        let entries = Array(zip(rows, ids))
        let known = Guarded(0)
        let saved = try await changing(ledger) { products throws(TapcardError) in
            var products = products
            var changed: [Product] = []
            // The ledger may run this again, so the count starts over.
            known.withLock { $0 = 0 }
            // Deposits come first, because other products refer to them.
            for (row, id) in entries.filter({ $0.0.deposit == nil })
                + entries.filter({ $0.0.deposit != nil })
            {
                guard let name = row.name else { continue }
                let place = products.firstIndex { $0.isNamed(name) }
                if place != nil { known.withLock { $0 += 1 } }
                var product = place.map { products[$0] } ?? Product(id: id, name: name, price: nil)
                (product.name, product.isRetired) = (name, false)
                try reader.apply(row, to: &product, among: products)
                if let place { products[place] = product } else { products.append(product) }
                changed.append(product)
            }
            return changed
        }
        let count = known.withLock { $0 }
        return Report(
            ["added": .number(saved.count - count), "changed": .number(count)],
            ["Added: \(saved.count - count); changed: \(count)"], isChange: true)
    }

    /// Reads one row, which must have a name. An empty cell removes a color or a minimum age, but
    /// leaves any other value as it is. `row` is the row's number for error messages, which does
    /// not count the header.
    private static func given(
        _ cells: [String], _ header: [String], row: Int
    ) throws(TapcardError) -> GivenProduct {
        guard cells.count <= header.count else { throw invalid("row \(row) has too many cells") }
        var given = GivenProduct()
        for (column, cell) in zip(header, cells) {
            // The apostrophe keeps spreadsheets from reading a name as a formula.
            let text = String(
                (cell.hasPrefix("'") ? String(cell.dropFirst()) : cell).trimmingSpaces)
            let name = text.isEmpty ? nil : try? SaleText(text)
            guard text.isEmpty || !["name", "group"].contains(column) || name != nil else {
                throw invalid("row \(row): \(text.quotation) is not a valid \(column)")
            }
            let value = text.isEmpty ? nil : text
            switch column {
            case "name": given.name = name
            case "group": given.group = value
            case "price": given.price = value
            case "color": given.color = value ?? ProductReader.none
            case "position":
                guard let value else { continue }
                guard let number = Int(value), Product.possiblePositions.contains(number) else {
                    throw invalid("row \(row): \(text.quotation) is not a valid position")
                }
                given.position = number
            case "deposit": given.deposit = value
            case "minimum-age": given.minimumAge = value ?? ProductReader.none
            case "sold-out":
                guard ["yes", "no", nil].contains(value) else {
                    throw invalid("row \(row): sold-out must be yes or no, not \(text.quotation)")
                }
                given.soldOut = value
            default: throw invalid("there is no column \(column.quotation)")
            }
        }
        guard given.name != nil else { throw invalid("row \(row) has no name") }
        let colors = Product.Color.allCases.map(\.rawValue) + [ProductReader.none]
        guard given.color.map(colors.contains) ?? true else {
            throw invalid("row \(row): the color must be \(colors.joined(separator: ", "))")
        }
        return given
    }

    private static func invalid(_ what: String) -> TapcardError {
        TapcardError(
            .usage, what.prefix(1).uppercased() + what.dropFirst() + ".",
            meaning: "Nothing was changed.", advice: "Correct the file, and import it again.")
    }
}
