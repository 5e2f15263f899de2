extension LedgerSchema {
    /// The parameters of a making, so that an operation's id stands for all of it, and a monotonic
    /// clock. The holder's name may be removed from the parameters, also after the operation has
    /// ended; nothing else in them is ever changed. Earlier operations have no parameters.
    static let version6 = """
        ALTER TABLE operation ADD COLUMN begun_uptime TEXT CHECK (length(begun_uptime) <= 100);
        CREATE TRIGGER operation_keeps_its_uptime BEFORE UPDATE OF begun_uptime ON operation
        BEGIN SELECT RAISE(ABORT, 'an operation keeps its time'); END;
        ALTER TABLE operation ADD COLUMN parameters TEXT CHECK (length(parameters) <= 1000);
        CREATE TRIGGER operation_only_forgets_a_name BEFORE UPDATE OF parameters ON operation
        WHEN NEW.parameters IS NOT
            substr(OLD.parameters, 1, instr(OLD.parameters, char(10) || 'name=')) || 'name'
        BEGIN SELECT RAISE(ABORT, 'an operation keeps its parameters'); END;
        DROP TRIGGER operation_ends_once;
        CREATE TRIGGER operation_ends_once
        BEFORE UPDATE OF state, sequence, ended_at, balance_after ON operation
        WHEN OLD.state <> 'pending'
        BEGIN SELECT RAISE(ABORT, 'the operation has ended'); END;
        """
}
