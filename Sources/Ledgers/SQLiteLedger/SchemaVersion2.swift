extension LedgerSchema {
    /// The protection of tags, and the keys of their passwords. The words have a list here, unlike
    /// kinds: an unknown word must not be taken for an open tag.
    static let version2 = """
        ALTER TABLE card ADD COLUMN protection TEXT NOT NULL DEFAULT 'off' CHECK (
            protection IN (
                'off', 'setting-password', 'switching-on', 'on', 'switching-off',
                'clearing-password'));
        ALTER TABLE card ADD COLUMN protection_key INTEGER
            CHECK (protection_key BETWEEN 0 AND 15)
            CHECK ((protection = 'off') = (protection_key IS NULL));
        """
}
