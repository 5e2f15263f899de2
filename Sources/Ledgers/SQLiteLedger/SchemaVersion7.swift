extension LedgerSchema {
    /// Indexes for the searches of a tap, whose time must not depend on the number of rows. Only
    /// accounts of cards are indexed: every payment is also booked on the house's account, which is
    /// never searched.
    static let version7 = """
        CREATE INDEX card_by_code ON card (scratch_code) WHERE scratch_code IS NOT NULL;
        CREATE INDEX replacement_of_card ON operation (uid) WHERE kind = 'replace';
        CREATE INDEX entry_of_purse ON entry (account) WHERE account LIKE 'purse:%';
        CREATE INDEX activation_of_card ON activation (uid);
        CREATE INDEX activation_of_code ON activation (code);
        CREATE INDEX activation_by_time ON activation (requested_at);
        """
}
