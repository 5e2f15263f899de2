extension LedgerSchema {
    /// The script for version 11, which adds the lines of operations and the table of products.
    static let selling = """
        ALTER TABLE operation ADD COLUMN lines TEXT CHECK (length(lines) BETWEEN 1 AND 12000);
        DROP TRIGGER operation_keeps_its_parameters;
        CREATE TRIGGER operation_keeps_its_parameters
        BEFORE UPDATE OF position, id, uid, kind, amount, reverses, subject, lines, cashier,
            begun_at
        ON operation
        BEGIN SELECT RAISE(ABORT, 'an operation keeps its parameters'); END;

        CREATE TABLE product (
            id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 36),
            name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 40),
            family TEXT CHECK (length(family) BETWEEN 1 AND 40),
            price INTEGER CHECK (price BETWEEN 0 AND 99999999),
            color TEXT,
            position INTEGER NOT NULL CHECK (position BETWEEN 0 AND 9999),
            deposit TEXT REFERENCES product (id),
            minimum_age INTEGER CHECK (minimum_age BETWEEN 1 AND 99),
            is_sold_out INTEGER NOT NULL CHECK (is_sold_out IN (0, 1)),
            is_retired INTEGER NOT NULL CHECK (is_retired IN (0, 1))
        ) STRICT, WITHOUT ROWID;
        CREATE TRIGGER product_stays BEFORE DELETE ON product
        BEGIN SELECT RAISE(ABORT, 'a product stays'); END;
        """
}

extension LedgerSchema {
    /// The script for version 13, which adds the till, and the second person who consented.
    static let tills = """
        ALTER TABLE operation ADD COLUMN till TEXT CHECK (length(till) BETWEEN 1 AND 40);
        ALTER TABLE operation ADD COLUMN supervisor TEXT CHECK (
            length(supervisor) BETWEEN 1 AND 40);
        DROP TRIGGER operation_keeps_its_parameters;
        CREATE TRIGGER operation_keeps_its_parameters
        BEFORE UPDATE OF position, id, uid, kind, amount, reverses, subject, lines, cashier, till,
            supervisor, begun_at
        ON operation
        BEGIN SELECT RAISE(ABORT, 'an operation keeps its parameters'); END;
        ALTER TABLE cardless ADD COLUMN till TEXT CHECK (length(till) BETWEEN 1 AND 40);
        ALTER TABLE cardless ADD COLUMN supervisor TEXT CHECK (
            length(supervisor) BETWEEN 1 AND 40);
        """
}
