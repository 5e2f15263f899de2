extension LedgerSchema {
    /// The cashiers of operations, and an index for the operations of one day. Earlier operations
    /// have no cashier.
    static let version5 = """
        ALTER TABLE operation ADD COLUMN cashier TEXT CHECK (length(cashier) BETWEEN 1 AND 40);
        DROP TRIGGER operation_keeps_its_parameters;
        CREATE TRIGGER operation_keeps_its_parameters
        BEFORE UPDATE OF position, id, uid, kind, amount, reverses, subject, cashier, begun_at
        ON operation
        BEGIN SELECT RAISE(ABORT, 'an operation keeps its parameters'); END;
        CREATE INDEX operation_by_time ON operation (begun_at);
        """
}
