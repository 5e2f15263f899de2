import Ledger
import TapcardDomain

extension Product: TableRow {
    static let table = "product"
    static let qualifiedColumns = columnNames.map { "product.\($0)" }.joined(separator: ", ")

    /// The statement that adds the product or replaces its row.
    var change: SQLStatement {
        SQLStatement(
            """
            INSERT INTO product (\(Product.columns))
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9 <> 0, $10 <> 0)
            ON CONFLICT (id) DO UPDATE SET name = $2, family = $3, price = $4, color = $5,
                position = $6, deposit = $7, minimum_age = $8, is_sold_out = $9 <> 0,
                is_retired = $10 <> 0
            """, values)
    }
}

extension PostgreSQLRows {
    func products() throws(LedgerError) -> [Product] {
        // "C" gives every server the same order.
        try rows(where: #"TRUE ORDER BY position, name COLLATE "C", id"#)
    }

    func save(_ product: Product) { change([product.change]) }
}

extension PostgreSQLSchema {
    /// The step to version 4, which adds the lines of operations, the table of products, and
    /// accounts for the tenders other than cash.
    static let selling = [
        """
        ALTER TABLE operation ADD COLUMN lines text
            CONSTRAINT lines_are_limited CHECK (length(lines) BETWEEN 1 AND 12000)
        """,
        """
        CREATE TABLE product (
            id uuid PRIMARY KEY,
            name text NOT NULL CHECK (length(name) BETWEEN 1 AND 40),
            family text CHECK (length(family) BETWEEN 1 AND 40),
            price bigint CHECK (price BETWEEN 0 AND 99999999),
            color text CHECK (length(color) <= 40),
            position integer NOT NULL CHECK (position BETWEEN 0 AND 9999),
            deposit uuid REFERENCES product (id),
            minimum_age smallint CHECK (minimum_age BETWEEN 1 AND 99),
            is_sold_out boolean NOT NULL,
            is_retired boolean NOT NULL
        )
        """,
        "ALTER TABLE house DROP CONSTRAINT house_is_limited",
        """
        ALTER TABLE house ADD CONSTRAINT house_is_limited CHECK (account IN (\(issuerAccounts)))
        """,
        "ALTER TABLE entry DROP CONSTRAINT entry_is_limited",
        """
        ALTER TABLE entry ADD CONSTRAINT entry_is_limited CHECK (
            place BETWEEN 0 AND \(highestPlace) AND house IN (\(issuerAccounts)))
        """,
        // A new ledger has no settings yet, and its roles are named after its database.
        """
        DO $$
        DECLARE
            prefix text := coalesce(
                (SELECT roles FROM setting), 'tapcard_' || current_database() || '_');
        BEGIN
            EXECUTE format('GRANT SELECT ON product TO %I, %I, %I',
                prefix || 'station', prefix || 'auditor', prefix || 'customers');
            EXECUTE format('GRANT INSERT, UPDATE ON product TO %I', prefix || 'station');
        END $$
        """,
    ]

    /// The issuer's accounts in version 4.
    private static let issuerAccounts = """
        'takings', 'cash', 'terminal', 'other', 'adopted', 'prizes', 'reissued', 'shortfall'
        """
}
