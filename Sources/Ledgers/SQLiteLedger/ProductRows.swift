import Ledger
import TapcardDomain

extension SQLiteRows {
    func products() throws(LedgerError) -> [Product] {
        try connection.query("SELECT \(Product.columns) FROM product ORDER BY position, name, id") {
            row throws(LedgerError) in try Product(&row)
        }
    }

    func save(_ product: Product) throws(LedgerError) {
        try connection.run(
            """
            INSERT INTO product (\(Product.columns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            ON CONFLICT (id) DO UPDATE SET name = ?2, family = ?3, price = ?4, color = ?5,
                position = ?6, deposit = ?7, minimum_age = ?8, is_sold_out = ?9, is_retired = ?10
            """, product.values)
    }
}
