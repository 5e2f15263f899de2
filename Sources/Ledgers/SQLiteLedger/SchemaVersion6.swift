extension Schema {
    /// What the making of a card was asked for, so that an operation's id stands for all of it.
    ///
    /// It may be taken out again, because a holder's name is in it, and that after the operation
    /// has ended; it is never changed. What was begun before has none.
    static let version6 = """
        ALTER TABLE operation ADD COLUMN parameters TEXT CHECK (length(parameters) <= 1000);
        CREATE TRIGGER operation_only_forgets_parameters
        BEFORE UPDATE OF parameters ON operation WHEN NEW.parameters IS NOT NULL
        BEGIN SELECT RAISE(ABORT, 'an operation keeps its parameters'); END;
        DROP TRIGGER operation_ends_once;
        CREATE TRIGGER operation_ends_once
        BEFORE UPDATE OF state, sequence, ended_at, balance_after ON operation
        WHEN OLD.state <> 'pending'
        BEGIN SELECT RAISE(ABORT, 'the operation has ended'); END;
        """
}
